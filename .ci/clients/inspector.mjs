// The MCP Inspector, from the command line, on stdio and over HTTP, with the demo configuration.
//
//	node inspector.mjs [BINARY]
//
// On stdio mcp-inspector --cli starts a server for each command and ends it after; over HTTP the server lasts. Either way the next command goes on with the turn
// that one has opened: it is kept in the store of the user. mcpdo, the Inspector's other command, keeps its connection in a daemon.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { assert, handle, reply, step, surroundings, text, tours, ways } from './kit.mjs';

const root = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'));
const inspector = join(root, 'clients/launcher/build/index.js');
const mcpdo = join(root, 'clients/mcpdo/build/mcp-bin.js');

await tours(ways.flatMap((way) => [
  [`inspector, ${way.name}, one process a command`, (place) => oneShot(way, place)],
  ...['legacy', 'auto', 'modern'].map((era) => [`inspector, ${way.name}, ${era}`, (place) => session(way, era, place)]),
]));

// target is how the Inspector's commands are told which server: what to start, or where it is and what to show there.
function target(server) {
  return server.url ? [server.url, '--transport', 'http', '--header', server.header] : server.command;
}

// run starts one of the Inspector's commands, away from the user's own settings.
function run(place, program, args, more = {}) {
  const done = spawnSync(process.execPath, [program, ...args], {
    cwd: place.base,
    env: { ...surroundings(place), NO_COLOR: '1', MCP_INSPECTOR_SECRET_STORE: 'memory', ...more },
    encoding: 'utf8',
    timeout: 120_000,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (done.error) throw done.error;
  return done;
}

// told is the JSON that a command printed; it must have ended with the status.
function told(done, status = 0) {
  assert.equal(done.status, status, `exit ${done.status}\n${done.stdout}\n${done.stderr}`);
  const printed = JSON.parse(done.stdout);
  return printed.result ?? printed;
}

// wanted are the resources that are read: one of each kind, since each costs a process. The client's tour reads all.
function wanted(uris) {
  const some = ['decide://methods/count_words', 'decide://decisions/tidy_folder/menu'];
  for (const uri of some) assert.ok(uris.includes(uri), `${uri} is not among ${uris}`);
  return some;
}

async function oneShot(way, place) {
  const server = await step(`a server on ${way.name}`, () => way.start(place));
  const cli = (method, ...args) =>
    run(place, inspector, ['--cli', ...target(server), '--method', method, ...args, '--format', 'json']);
  const call = (name, args) => cli('tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));

  await step('tools/list', () => {
    const names = told(cli('tools/list')).tools.map((tool) => tool.name);
    for (const name of ['count_words', 'tidy_folder', 'pick_read']) assert.ok(names.includes(name), `${names}`);
  });
  await step('tools/list --strict finds no portability problem', () => {
    const done = cli('tools/list', '--strict');
    assert.equal(done.status, 0, done.stderr);
  });
  await step('a native call', () => {
    assert.match(text(told(call('count_words', { text: 'one two three' }))), /^\s*3$/);
  });
  const turn = await step('a decision opens', () => handle(text(told(call('tidy_folder', { path: place.folder, wish: 'Look.' })))));
  const look = () => call('pick_read', { turn, text: reply('look', { path: place.folder }) });
  await step('the next process goes on with it', () => {
    const native = told(call('list_folder', { path: place.folder }));
    assert.deepEqual(told(look()).content.slice(1), native.content);
  });
  if (server.lasts) {
    await step('without the token nothing is to be had', () => {
      const done = run(place, inspector, ['--cli', server.url, '--transport', 'http', '--method', 'tools/list', '--format', 'json']);
      assert.equal(done.status, 3, `${done.stdout}\n${done.stderr}`); // what the Inspector ends with when it is not let in
    });
  }
  await step('prompts and resources', () => {
    assert.ok(told(cli('prompts/list')).prompts.some((prompt) => prompt.name === 'tidy_folder'));
    assert.ok(told(cli('prompts/get', '--prompt-name', 'tidy_folder', '--prompt-args', `path=${place.folder}`, 'wish=Look.')).messages.length > 0);
    const uris = told(cli('resources/list')).resources.map((resource) => resource.uri);
    for (const uri of wanted(uris)) assert.ok(told(cli('resources/read', '--uri', uri)).contents[0].text.length > 0, uri);
  });
  await step('the server ends well', () => server.end());
}

async function session(way, era, place) {
  const server = await step(`a server on ${way.name}`, () => way.start(place));
  const own = { MCP_INSPECTOR_DAEMON_DIR: join(place.base, 'daemon'), MCP_INSPECTOR_DAEMON_TOKEN: 'clients' };
  const mcp = (...args) => run(place, mcpdo, ['--format', 'json', ...args], own);
  const on = (...args) => mcp('--connection', 'desk', ...args);
  const call = (name, args, status = 0) => told(on('tools/call', name, JSON.stringify(args)), status);

  try {
    await step('connect', () => {
      const where = server.url ? target(server) : ['--', ...target(server)];
      const connected = told(mcp('connect', '@desk', '--era', era, ...where));
      assert.equal(connected.protocolEra, era === 'legacy' ? 'legacy' : 'modern');
    });
    await step('a native call', () => {
      assert.match(text(call('count_words', { text: 'one two three' })), /^\s*3$/);
    });
    const listed = call('list_folder', { path: place.folder });
    const first = await step('a decision opens', () => handle(text(call('tidy_folder', { path: place.folder, wish: 'Look.' }))));
    const second = await step('a pick in plain text gives what the native call gives', () => {
      const picked = call('pick_read', { turn: first, text: reply('look', { path: place.folder }) });
      assert.deepEqual(picked.content.slice(1), listed.content);
      return handle(picked.content[0].text);
    });
    const third = await step('a pick by call and args does too', () => {
      const picked = call('pick_read', { turn: second, call: 'look', args: JSON.stringify({ path: place.folder }) });
      assert.deepEqual(picked.content.slice(1), listed.content);
      return handle(picked.content[0].text);
    });
    await step('a pick that writes', () => {
      const made = join(place.base, 'made');
      call('pick_write', { turn: third, call: 'make', args: JSON.stringify({ path: made }) });
      assert.ok(existsSync(made));
    });
    await step('an unknown turn is a tool error', () => {
      assert.equal(call('pick_read', { turn: 'zzzz-1', call: 'leave' }, 5).isError, true);
    });
    await step('prompts and resources', () => {
      const prompt = told(on('prompts/get', 'tidy_folder', '--prompt-args', `path=${place.folder}`, 'wish=Look.'));
      const turn = handle(prompt.messages.map((message) => message.content.text).join('\n'));
      const picked = call('pick_read', { turn, text: reply('look', { path: place.folder }) });
      assert.equal(picked.content[1].type, 'text');
      const uris = told(on('resources/list')).resources.map((resource) => resource.uri);
      for (const uri of wanted(uris)) assert.ok(told(on('resources/read', uri)).contents[0].text.length > 0, uri);
    });
    await step('disconnect', () => { told(mcp('disconnect', 'desk')); });
  } finally {
    mcp('daemon', 'stop');
  }
  await step('the server ends well', () => server.end());
}
