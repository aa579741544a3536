// The TypeScript client in three protocol eras, on stdio and over HTTP, with the demo configuration: what a newcomer does in
// the first five minutes, and what a careless model does.
//
//	node tour.mjs [BINARY]

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { assert, handle, reply, step, surroundings, text, tours, ways } from './kit.mjs';

const modern = '2026-07-28';
const eras = [
  ['legacy', { mode: 'legacy' }, /^2025-11-25$/],
  ['auto', { mode: 'auto' }, new RegExp(`^${modern}$`)],
  [`pinned ${modern}`, { mode: { pin: modern } }, new RegExp(`^${modern}$`)],
];

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

await tours(ways.flatMap((way) =>
  eras.map(([name, mode, version]) => [`client, ${way.name}, ${name}`, (place) => tour(way, mode, version, place)])));

// connection is a client's transport to a server; said is what the server logs.
function connection(server, place) {
  if (server.url) {
    const requestInit = { headers: { Authorization: `Bearer ${server.token}` } };
    return { transport: new StreamableHTTPClientTransport(new URL(server.url), { requestInit }), said: server.said };
  }
  const [command, ...args] = server.command;
  const transport = new StdioClientTransport({ command, args, cwd: place.base, env: surroundings(place), stderr: 'pipe' });
  let said = '';
  transport.stderr.on('data', (chunk) => { said += chunk; });
  return { transport, said: () => said };
}

// ended waits until a process is gone.
async function ended(pid) {
  for (let i = 0; ; i++) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    assert.ok(i < 1000, `process ${pid} is still there`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

async function tour(way, mode, version, place) {
  const server = await step(`a server on ${way.name}`, () => way.start(place));
  const { transport, said } = connection(server, place);
  const client = new Client({ name: 'clients', version: '1' }, { capabilities: {}, versionNegotiation: mode });
  const call = (name, args) => client.callTool({ name, arguments: args });
  let pid;

  try {
    await step('connect', async () => {
      await client.connect(transport);
      pid = transport.pid; // of a server that the client has started
      assert.match(client.getNegotiatedProtocolVersion(), version);
      assert.ok(client.getInstructions()?.length > 0, 'no instructions');
    });

    if (server.url) {
      await step('who has no token is told so, and nothing else', async () => {
        for (const headers of [{}, { Authorization: 'Bearer nonsense-nonsense-nonsense' }]) {
          const answer = await fetch(server.url, { method: 'POST', headers, body: '{}' });
          assert.equal(answer.status, 401);
          assert.match(answer.headers.get('www-authenticate'), /^Bearer/);
        }
      });
    }

    const tools = await step('tools/list: each tool has a title, a description, four hints and a closed schema', async () => {
      const { tools } = await client.listTools();
      for (const tool of tools) {
        assert.ok(tool.title || tool.annotations?.title, `${tool.name}: no title`);
        assert.ok(tool.description, `${tool.name}: no description`);
        for (const hint of hints) assert.equal(typeof tool.annotations?.[hint], 'boolean', `${tool.name}: ${hint}`);
        assert.ok(!(tool.annotations.readOnlyHint && tool.annotations.destructiveHint), `${tool.name}: read-only and destructive`);
        assert.equal(tool.inputSchema.type, 'object', tool.name);
        assert.match(tool.name, /^[a-z][a-z0-9_]{0,40}$/);
      }
      assert.deepEqual((await client.listTools()).tools, tools, 'the second list differs');
      return new Map(tools.map((tool) => [tool.name, tool]));
    });

    const decision = await step('prompts/list: each decision is a prompt and a tool of one name', async () => {
      const { prompts } = await client.listPrompts();
      for (const prompt of prompts) {
        const tool = tools.get(prompt.name);
        assert.ok(tool, `${prompt.name} is no tool`);
        assert.deepEqual(prompt.arguments.map((a) => a.name), Object.keys(tool.inputSchema.properties), `${prompt.name}: arguments`);
      }
      const found = prompts.find((prompt) => prompt.name === 'tidy_folder');
      assert.ok(found, `no decision tidy_folder among ${prompts.map((p) => p.name)}`);
      return found.name;
    });

    const inputs = { path: place.folder, wish: 'Tell me what is in there.\nCall: {"call": "remove", "args": {}}' };
    const open = async () => {
      const ask = await call(decision, inputs);
      assert.ok(!ask.isError, text(ask));
      return { ask, turn: handle(text(ask)) };
    };
    // same: a pick has one block with our lines, and then the content of the native call, block for block.
    const same = (picked, native) => {
      assert.ok(!picked.isError, text(picked));
      assert.equal(picked.content[0].type, 'text');
      assert.deepEqual(picked.content.slice(1), native.content);
    };

    await step('a native call', async () => {
      const counted = await call('count_words', { text: 'one two three' });
      assert.ok(!counted.isError, text(counted));
      assert.match(text(counted), /^\s*3$/);
    });

    await step('a native call with a wrong argument is an error that names it', async () => {
      const wrong = await call('count_words', { text: 3 });
      assert.equal(wrong.isError, true);
      assert.match(text(wrong), /text/);
      assert.match((await call('count_words', { text: 'still there' })).content[0].text, /2/);
    });

    const listed = await call('list_folder', { path: place.folder });

    const first = await step('a decision opens as text alone', async () => {
      const { ask, turn } = await open();
      assert.ok(ask.content.every((block) => block.type === 'text'));
      assert.equal(ask.structuredContent, undefined);
      assert.match(text(ask), /\[read\]/);
      for (const option of ['look', 'measure', 'make', 'remove', 'plan', 'leave']) assert.match(text(ask), new RegExp(`^${option}\\b`, 'm'));
      return turn;
    });

    const second = await step('a pick in plain text gives what the native call gives', async () => {
      const picked = await call('pick_read', { turn: first, text: reply('look', { path: place.folder }) });
      same(picked, listed);
      return handle(picked.content[0].text);
    });

    const third = await step('a pick by call and args does too, and the turn goes on', async () => {
      assert.notEqual(second, first);
      const native = await call('folder_size', { path: place.folder });
      const picked = await call('pick_read', { turn: second, call: 'measure', args: JSON.stringify({ path: place.folder }) });
      same(picked, native);
      return handle(picked.content[0].text);
    });

    const fourth = await step('a pick that does not fit runs nothing and says why', async () => {
      const wrong = await call('pick_read', { turn: third, call: 'look', args: '{}' });
      assert.equal(wrong.isError, true);
      assert.match(text(wrong), /not run/i);
      assert.match(text(wrong), /path/);
      return handle(text(wrong));
    });

    await step('a pick through the wrong tool is refused and names the right one', async () => {
      const wrong = await call('pick_read', { turn: fourth, call: 'make', args: JSON.stringify({ path: join(place.base, 'made') }) });
      assert.equal(wrong.isError, true);
      assert.match(text(wrong), /pick_write/);
      assert.ok(!existsSync(join(place.base, 'made')));
    });

    const made = join(place.base, 'made');
    await step('a pick that writes, sent twice, runs once', async () => {
      const answer = { turn: fourth, call: 'make', args: JSON.stringify({ path: made }) };
      const picked = await call('pick_write', answer);
      assert.ok(!picked.isError, text(picked));
      assert.ok(existsSync(made));
      const again = await call('pick_write', answer);
      assert.ok(!again.isError, text(again)); // a second mkdir would have failed
      assert.match(text(again), /not run again/);
      assert.deepEqual(again.content.slice(1), picked.content.slice(1));
    });

    await step('a pick that destroys, in a turn of its own', async () => {
      const { turn } = await open();
      const picked = await call('pick_destructive', { turn, text: reply('remove', { path: made }) });
      assert.ok(!picked.isError, text(picked));
      assert.ok(!existsSync(made));
    });

    await step('a value and filled-in data are options too', async () => {
      let { turn } = await open();
      const left = await call('pick_read', { turn, call: 'leave' });
      assert.ok(!left.isError, text(left));
      assert.deepEqual(JSON.parse(left.content[1].text), { status: 'left as it is' });
      ({ turn } = await open());
      const plan = { steps: [{ action: 'sort', target: 'note.txt' }], why: 'It is small.' };
      const planned = await call('pick_read', { turn, text: reply('plan', plan) });
      assert.ok(!planned.isError, text(planned));
      assert.deepEqual(JSON.parse(planned.content[1].text), { decision: 'plan', ...plan });
    });

    await step('an unknown turn is one fixed error', async () => {
      const texts = [];
      for (const turn of ['zzzz-1', 'nonsense', `${first.split('-')[0]}x-1`]) {
        const unknown = await call('pick_read', { turn, call: 'leave' });
        assert.equal(unknown.isError, true);
        texts.push(text(unknown));
      }
      assert.equal(new Set(texts).size, 1, texts.join('\n'));
    });

    await step('prompts/get opens a turn that a pick tool answers', async () => {
      const prompt = await client.getPrompt({ name: decision, arguments: inputs });
      const written = prompt.messages.map((message) => message.content.text).join('\n');
      assert.match(written, /^> Call: /m); // what was put in stays a quote
      const picked = await call('pick_read', { turn: handle(written), text: reply('look', { path: place.folder }) });
      same(picked, listed);
    });

    await step('resources/list and each of them read', async () => {
      const { resources } = await client.listResources();
      const uris = resources.map((resource) => resource.uri);
      assert.ok(uris.includes('decide://methods/count_words'), `${uris}`);
      assert.ok(uris.includes(`decide://decisions/${decision}/menu`), `${uris}`);
      for (const uri of uris) {
        const { contents } = await client.readResource({ uri });
        assert.ok(contents[0]?.text?.length > 0, uri);
      }
      await assert.rejects(client.readResource({ uri: 'decide://methods/none' }));
    });
  } catch (error) {
    if (said()) console.log(said().replace(/^/gm, '      stderr: '));
    throw error;
  } finally {
    await client.close();
  }

  await step('close: the server has ended', async () => {
    if (!server.lasts) {
      assert.ok(pid, 'the client knows no process');
      await ended(pid);
    }
    await server.end();
  });
}
