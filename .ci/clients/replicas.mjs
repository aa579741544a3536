// Two servers behind nginx, as the README sets them up, with the TypeScript client in two protocol eras: over one SQLite file, and over PostgreSQL where
// MCP_DECIDE_TEST_POSTGRES names a server.
//
//	node replicas.mjs [BINARY]

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { assert, binary, handle, step, surroundings, text, tours } from './kit.mjs';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');
const section = readme.slice(readme.indexOf('## More than one machine'));
const token = 'a-token-for-the-replicas-0123456789';
const eras = [['legacy', { mode: 'legacy' }], ['2026-07-28', { mode: { pin: '2026-07-28' } }]];

// snippet is the example of a language in the README's section.
function snippet(language) {
  const found = section.match(new RegExp('```' + language + '\\n([\\s\\S]*?)```'));
  assert.ok(found, `the README shows no ${language} in "More than one machine"`);
  return found[1];
}

// replaced puts something else in the place of what has to be there.
function replaced(written, was, is) {
  assert.ok(written.includes(was), `the README's example does not hold ${was}:\n${written}`);
  return written.replaceAll(was, is);
}

const stores = [['SQLite', (place) => `sqlite:${join(place.base, 'store', 'store.db')}`]];
if (process.env.MCP_DECIDE_TEST_POSTGRES) {
  stores.push(['PostgreSQL', () => process.env.MCP_DECIDE_TEST_POSTGRES]);
} else {
  console.log('SKIPPED: PostgreSQL is not there (MCP_DECIDE_TEST_POSTGRES)');
}

// freePort is a port that nobody listens on.
function freePort() {
  return new Promise((done, failed) => {
    const server = createServer();
    server.on('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

// methods are what the README's file leaves out. Each effect is a line in a file.
const methods = (effects, gate) => `
methods:
  close: {summary: Close it., value: {status: closed}}
  note:
    summary: Write something down.
    effect: write
    offer: menu
    params: {what: {type: string, description: What.}}
    run: {argv: [tee, -a, ${effects}], stdin: "{what}\\n"}
  slow:
    summary: Write something down, and be in no hurry.
    effect: write
    offer: menu
    params: {what: {type: string, description: What.}}
    run: {argv: [sh, -c, 'echo "$1" >> ${effects}; while [ ! -e ${gate} ]; do sleep 0.05; done', sh, "{what}"], i_accept_shell: true}
decisions:
  settle:
    summary: Settle it.
    prompt: Settle it.
    options:
      note: note
      slow: slow
      close: close
`;

// replica starts one server, as the README does.
async function replica(place, port, env) {
  const server = spawn(binary, ['serve', '--config', 'desk.yaml', '--http', `127.0.0.1:${port}`, '--log-format', 'json'], {
    cwd: place.base, env, stdio: ['ignore', 'inherit', 'pipe'],
  });
  place.processes.push(server);
  let said = '';
  const ended = new Promise((done) => { server.on('exit', (code, signal) => done(signal ?? code)); });
  await new Promise((ready, failed) => {
    server.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('"msg":"serving over HTTP"')) ready();
    });
    server.on('error', failed);
    ended.then((how) => failed(new Error(`the server ended with ${how}:\n${said}`)));
  });
  return { url: `http://127.0.0.1:${port}/mcp`, port, pid: server.pid, ended, said: () => said, signal: (name) => server.kill(name) };
}

// balancer starts nginx with the README's example, and writes down which server got what.
async function balancer(place, replicas) {
  const port = await freePort();
  const dir = join(place.base, 'nginx');
  mkdirSync(dir);
  let site = replaced(snippet('nginx'), 'listen 80;', `listen 127.0.0.1:${port};`);
  ['127.0.0.1:8788', '127.0.0.1:8789'].forEach((address, i) => { site = replaced(site, address, `127.0.0.1:${replicas[i].port}`); });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`).join(' ');
  writeFileSync(join(dir, 'nginx.conf'), `${process.getuid() === 0 ? 'user root;' : ''}
    daemon off; pid ${dir}/pid; error_log ${dir}/error.log; worker_processes 1;
    events {}
    http {
      log_format upstreams '$request_method $status $upstream_addr'; access_log ${dir}/access.log upstreams;
      ${temporary}
      ${site}
    }`);
  const server = spawn('nginx', ['-p', dir, '-c', join(dir, 'nginx.conf')], { stdio: 'inherit' });
  place.processes.push({ kill: () => server.kill('SIGTERM') }); // else its worker would stay
  const ended = new Promise((done) => { server.on('exit', done); });
  const answers = async () => {
    try {
      return (await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { Host: 'desk.example' } })).ok || true;
    } catch {
      return false;
    }
  };
  for (let i = 0; !(await answers()); i++) {
    assert.ok(i < 200 && server.exitCode === null, `nginx does not start: ${existsSync(join(dir, 'error.log')) && readFileSync(join(dir, 'error.log'), 'utf8')}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  const log = () => readFileSync(join(dir, 'access.log'), 'utf8').trim().split('\n');
  return { url: `http://127.0.0.1:${port}/mcp`, port, log, end: async () => { server.kill('SIGQUIT'); await ended; } };
}

// client connects to an address.
async function client(url, mode, onChange) {
  const c = new Client({ name: 'replicas', version: '1' }, { capabilities: {}, versionNegotiation: mode });
  if (onChange) c.setNotificationHandler('notifications/tools/list_changed', onChange);
  await c.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  return c;
}

const call = (c, name, args, options) => c.callTool({ name, arguments: args }, options);
const pick = (turn, option, what) => ({ turn, call: option, args: JSON.stringify({ what }) });
const open = async (c) => handle(text(await call(c, 'settle', {})));

// patient tries a few times what nginx may answer with 502.
async function patient(run) {
  for (let i = 0; ; i++) {
    try {
      return await run();
    } catch (error) {
      if (i === 4 || !/502/.test(String(error?.stack ?? error))) throw error;
    }
  }
}

async function until(what, holds) {
  for (let i = 0; !holds(); i++) {
    assert.ok(i < 600, `it does not come: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function tour(place, name, store) {
  const effects = join(place.base, 'effects');
  const gate = join(place.base, 'gate');
  const done = (what) => (existsSync(effects) ? readFileSync(effects, 'utf8').split('\n').filter((line) => line === what).length : 0);
  // nginx is reached by the address here and not by its name, so that is a host too.
  const yaml = replaced(snippet('yaml'), '[desk.example]', '[desk.example, 127.0.0.1]') + methods(effects, gate);
  writeFileSync(join(place.base, 'desk.yaml'), yaml);
  const env = { ...surroundings(place), DESK_STORE: store, DESK_TOKEN: token };
  const clients = [];
  const connected = async (...args) => {
    const c = await client(...args);
    clients.push(c);
    return c;
  };

  const replicas = await step(`two servers of the README's file, over ${name}`, async () => [
    await replica(place, await freePort(), env), await replica(place, await freePort(), env),
  ]);
  const nginx = await step("nginx with the README's example", () => balancer(place, replicas));

  try {
    for (const [era, mode] of eras) {
      const [a, b] = [await connected(replicas[0].url, mode), await connected(replicas[1].url, mode)];
      await step(`${era}: a turn that is opened at one server is answered at the other, once`, async () => {
        const what = `once, ${era}`;
        const turn = await open(a);
        const picked = await call(b, 'pick_write', pick(turn, 'note', what));
        assert.ok(!picked.isError, text(picked));
        assert.equal(done(what), 1);
        for (const c of [a, b]) {
          const again = await call(c, 'pick_write', pick(turn, 'note', what));
          assert.ok(!again.isError, text(again));
          assert.match(text(again), /not run again/);
          assert.deepEqual(again.content.slice(1), picked.content.slice(1));
        }
        const other = await call(a, 'pick_write', pick(turn, 'note', 'something else'));
        assert.match(text(other), /Not taken/);
        assert.equal(done(what), 1);
        assert.equal(done('something else'), 0);
      });

      await step(`${era}: both answer at the same moment, and it runs once`, async () => {
        for (let i = 0; i < 10; i++) {
          const what = `at once ${i}, ${era}`;
          const turn = await open(i % 2 ? a : b);
          const picked = await Promise.all([a, b, a, b].map((c) => call(c, 'pick_write', pick(turn, 'note', what))));
          for (const p of picked) assert.ok(!p.isError, text(p));
          assert.equal(done(what), 1, what);
        }
      });

      await step(`${era}: a client behind nginx reaches one server with an ask and another with the answer`, async () => {
        const c = await connected(nginx.url, mode);
        const before = nginx.log().length;
        for (let i = 0; i < 20; i++) {
          const what = `behind nginx ${i}, ${era}`;
          const turn = await open(c);
          for (let n = 0; n < 1 + (i % 2); n++) {
            const picked = await call(c, 'pick_write', pick(turn, 'note', what));
            assert.ok(!picked.isError, text(picked));
          }
          assert.equal(done(what), 1, what);
        }
        const posts = nginx.log().slice(before).filter((line) => line.startsWith('POST 200')).map((line) => line.split(' ')[2]);
        assert.equal(new Set(posts).size, 2, `${posts}`);
        assert.ok(posts.some((address, i) => i > 0 && address !== posts[i - 1]), `${posts}`);
      });

      await step(`${era}: news comes through nginx at once`, async () => {
        let told = 0;
        const c = await connected(nginx.url, mode, () => { told++; });
        if (mode.mode.pin) await c.listen({ toolsListChanged: true });
        // The other kind of stream is opened beside the connection, so what changed before it was there is not told.
        let changes = 0;
        await until('that the tools have changed', () => {
          if (told === 0 && changes++ % 10 === 0) {
            writeFileSync(join(place.base, 'desk.yaml'), yaml.replace('summary: Close it', `summary: Close it in ${era} ${changes}`));
            for (const r of replicas) r.signal('SIGHUP');
          }
          return told > 0;
        });
      });
    }

    await step('a write whose server is killed is not sent to the other one, and is unknown there', async () => {
      await Promise.allSettled(clients.splice(0).map((c) => c.close())); // their streams would stand in the log too
      const [, mode] = eras[1];
      const c = await connected(nginx.url, mode);
      const turn = await open(c);
      const before = nginx.log().length;
      const cut = call(c, 'pick_write', pick(turn, 'slow', 'slowly')).then((r) => ({ text: text(r) }), (error) => ({ error }));
      await until('that it runs', () => done('slowly') === 1);
      const [busy, idle] = whoRuns(replicas);
      busy.signal('SIGKILL');
      await busy.ended;
      const { error } = await cut;
      assert.ok(error, 'the client was given an answer');
      assert.deepEqual(nginx.log().slice(before), [`POST 502 127.0.0.1:${busy.port}`]);
      assert.equal(done('slowly'), 1);
      const left = await connected(idle.url, mode);
      const again = await call(left, 'pick_write', pick(turn, 'slow', 'slowly'));
      assert.match(text(again), /not known whether it ran/);
      assert.equal(done('slowly'), 1);
      writeFileSync(gate, ''); // what was left behind ends
      replicas.splice(replicas.indexOf(busy), 1);
    });

    await step('a client that asks again when nginx has nobody to send it to is served by the one that is left, once', async () => {
      for (let i = 0; i < 10; i++) {
        const what = `one is left ${i}`;
        const c = await patient(() => connected(nginx.url, eras[i % 2][1]));
        const turn = await patient(() => open(c));
        const picked = await patient(() => call(c, 'pick_write', pick(turn, 'note', what)));
        assert.ok(!picked.isError, text(picked));
        assert.equal(done(what), 1);
      }
    });
  } catch (error) {
    for (const r of replicas) console.log(r.said().slice(-4000).replace(/^/gm, '      stderr: '));
    throw error;
  } finally {
    writeFileSync(gate, '');
    await Promise.allSettled(clients.map((c) => c.close()));
  }
  await step('all of it ends well', async () => {
    await nginx.end();
    for (const r of replicas) {
      r.signal('SIGTERM');
      assert.equal(await r.ended, 0, r.said());
    }
  });
}

// whoRuns is the server that has a child, and the other.
function whoRuns(replicas) {
  const children = (r) => readdirSync(`/proc/${r.pid}/task`).map((thread) => readFileSync(`/proc/${r.pid}/task/${thread}/children`, 'utf8').trim()).join('');
  const i = replicas.findIndex((r) => children(r) !== '');
  assert.ok(i >= 0, 'no server has a child');
  return [replicas[i], replicas[1 - i]];
}

await tours(stores.map(([name, store]) => [`two servers behind nginx, ${name}`, (place) => tour(place, name, store(place))]));
