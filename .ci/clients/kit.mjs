// What both tours need: the binary, a folder to work in, the two ways to a server, and steps that are printed and counted.

import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export { assert };

const here = fileURLToPath(new URL('.', import.meta.url));

// binary is the built command: the first argument, or the one in the project's folder.
export const binary = resolve(process.argv[2] ?? join(here, '../../mcp-decide'));
if (!existsSync(binary)) {
  console.error(`${binary} is not there: build it with  go build -o mcp-decide ./cmd/mcp-decide`);
  process.exit(2);
}

// workplace makes a folder with a file in it, away from everything else; the returned object ends it, and the processes in it.
export function workplace() {
  const base = mkdtempSync(join(tmpdir(), 'mcp-decide-clients-'));
  // A folder is listed with the time of its parent, so the parent is one in which nothing else happens.
  const folder = join(base, 'still', 'desk');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'note.txt'), 'a note of five words\n');
  const processes = [];
  const end = () => {
    for (const process of processes) process.kill('SIGKILL');
    rmSync(base, { recursive: true, force: true });
  };
  return { base, folder, processes, end };
}

// surroundings are the variables of a server or a client: away from the user's own settings.
export const surroundings = (place) => ({ PATH: process.env.PATH, HOME: place.base, XDG_CONFIG_HOME: place.base, XDG_STATE_HOME: place.base, LC_ALL: 'C', TZ: 'UTC' });

// The two ways to a server. On stdio a client starts its own; over HTTP one server runs by itself, and takes who has its token.
// A tour gets one of them, and does the same on both.
export const ways = [
  { name: 'stdio', start: async () => ({ command: [binary, 'serve'], lasts: false, end: async () => {} }) },
  { name: 'HTTP', start: overHTTP },
];

// overHTTP starts a server on a free port, and reads the address and the token that it prints. end makes sure that it ends well.
async function overHTTP(place) {
  const server = spawn(binary, ['serve', '--http', '127.0.0.1:0', '--log-format', 'json'], {
    cwd: place.base, env: surroundings(place), stdio: ['ignore', 'inherit', 'pipe'],
  });
  place.processes.push(server);
  let said = '';
  const ended = new Promise((done) => { server.on('exit', (code, signal) => done(signal ?? code)); });
  const [url, token] = await new Promise((ready, failed) => {
    server.stderr.on('data', (chunk) => {
      said += chunk;
      const url = said.match(/"msg":"serving over HTTP","url":"([^"]+)"/);
      const token = said.match(/^ {2}Authorization: Bearer (\S+)$/m);
      if (url && token) ready([url[1], token[1]]);
    });
    server.on('error', failed);
    ended.then((how) => failed(new Error(`the server ended with ${how}:\n${said}`)));
  });
  const end = async () => {
    server.kill('SIGTERM');
    assert.equal(await ended, 0, `the server ended otherwise than well:\n${said}`);
  };
  return { url, token, header: `Authorization: Bearer ${token}`, said: () => said, lasts: true, end };
}

let passed = 0;
let failed = 0;

// step runs one step and says how it went. A failed one ends its tour: the next ones need what it should have given.
export async function step(name, run) {
  try {
    const value = await run();
    passed++;
    console.log(`ok    ${name}`);
    return value;
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}`);
    console.log(String(error?.stack ?? error).replace(/^/gm, '      '));
    throw new Stopped();
  }
}

class Stopped extends Error {}

// tours runs one tour after the other, and ends the process with 0 when every step of all of them passed.
export async function tours(list) {
  for (const [name, tour] of list) {
    console.log(`--- ${name}`);
    const place = workplace();
    try {
      await tour(place);
    } catch (error) {
      if (!(error instanceof Stopped)) {
        failed++;
        console.log(`FAIL  ${name}: ${error?.stack ?? error}`);
      }
    } finally {
      place.end();
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}

// text is all text of a result.
export const text = (result) => result.content.map((block) => block.text ?? '').join('\n');

// handle is the turn that an outcome goes on as, or the one that an ask names last: after a refusal that is the new one.
export function handle(written) {
  const goesOn = written.match(/goes on as ([a-z0-9]+-\d+)/);
  const named = [...written.matchAll(/turn "?([a-z0-9]+-\d+)/g)].at(-1);
  const found = goesOn ?? named;
  assert.ok(found, `no turn is named in:\n${written}`);
  return found[1];
}

// reply is an answer in plain text, as a model without tools writes it.
export const reply = (call, args) => `Let me see. This is what I pick:\n\n${JSON.stringify({ call, args })}`;
