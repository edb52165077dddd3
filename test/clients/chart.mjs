// Tests the interactive view of `chart` in headless Chromium. A page plays the host of MCP Apps: it loads the view in a
// sandboxed frame with the content security policy of its metadata, initializes it and sends it results of the tool. The
// test compares every shown figure with an answer of the service for the same metric and granularity, switches series,
// uses the keyboard, both themes and three widths, and checks the page with axe-core. `node chart.mjs FOLDER`, with the
// RPC address in `rpc` and a key in `key`; pictures are saved in FOLDER. Exits 1 on a difference.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { createRequire } from 'node:module';
import { launch } from './browser.mjs';

const folder = process.argv[2];
fs.mkdirSync(folder, { recursive: true });
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const type = 'text/html;profile=mcp-app';
const address = 'ui://assay/chart.html';

async function rpc(method, params, headers = {}) {
  const answer = await fetch(process.env.rpc, {
    method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.key}`, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const body = await answer.json();
  assert.ok(body.result, `${method}: ${JSON.stringify(body).slice(0, 300)}`);
  return { result: body.result, session: answer.headers.get('mcp-session-id') };
}

const initialize = (extensions) => rpc('initialize', { protocolVersion: '2025-11-25', capabilities: { extensions }, clientInfo: { name: 'host', version: '1' } });

// A client without the extension gets no session and sees nothing of the view.
const plain = await initialize({});
assert.equal(plain.session, null);
const listed = (await rpc('tools/list', {})).result.tools.find((tool) => tool.name === 'chart');
assert.equal(listed._meta, undefined);
assert.equal((await rpc('tools/call', { name: 'chart', arguments: { metric: 'revenue' } })).result._meta, undefined);

// A host of MCP Apps.
const { session } = await initialize({ 'io.modelcontextprotocol/ui': { mimeTypes: [type] } });
assert.match(session, /^[!-~]+$/);
const headers = { 'Mcp-Session-Id': session, 'Mcp-Protocol-Version': '2025-11-25' };
const tool = (await rpc('tools/list', {}, headers)).result.tools.find((one) => one.name === 'chart');
assert.deepEqual(tool._meta, { ui: { resourceUri: address } });
assert.ok((await rpc('resources/list', {}, headers)).result.resources.some((one) => one.uri === address && one.mimeType === type));
const view = (await rpc('resources/read', { uri: address }, headers)).result.contents[0];
assert.equal(view.mimeType, type);
for (const [name, domains] of Object.entries(view._meta.ui.csp)) assert.deepEqual(domains, [], name);

const call = async (args) => (await rpc('tools/call', { name: 'chart', arguments: args }, headers)).result;

// The link of a result is the same chart as an SVG document.
const linked = await call({ metric: 'revenue', title: '<b>Revenue</b> & more' });
assert.deepEqual(linked.content.map((piece) => piece.type), ['text', 'image', 'resource_link']);
const svg = (await rpc('resources/read', { uri: linked.content[2].uri }, headers)).result.contents[0];
assert.equal(svg.mimeType, 'image/svg+xml');
assert.match(svg.text, /^<svg [^]*&lt;b&gt;Revenue&lt;\/b&gt; &amp; more[^]*<text[^]*<\/svg>\s*$/);
assert.doesNotMatch(svg.text, /<script|<b>|href/);

const host = `<!doctype html><meta charset="utf-8"><title>Host</title><style>body{margin:0}iframe{border:0;width:100%;height:600px}</style>
<iframe title="View" sandbox="allow-scripts" src="/view"></iframe><script>
window.got = []; const frame = document.querySelector('iframe').contentWindow;
window.send = (message) => frame.postMessage({ jsonrpc: '2.0', ...message }, '*');
window.addEventListener('message', ({ data, source }) => {
  if (source !== frame) return;
  got.push(data);
  if (data.method === 'ui/initialize') send({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' }, hostCapabilities: {}, hostContext: { theme: window.theme ?? 'light' } } });
  if (data.method === 'ui/notifications/size-changed') document.querySelector('iframe').style.height = data.params.height + 'px';
});</script>`;
const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'; frame-src 'none'; base-uri 'self'";
const server = http.createServer((request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  if (request.url === '/view') response.setHeader('Content-Security-Policy', policy);
  response.end(request.url === '/view' ? view.text : host);
});
await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await launch();
const problems = [];

// open plays a host of a theme and a width, and returns its page and the frame of the view.
async function open(theme, width) {
  const page = await browser.newPage({ viewport: { width, height: 760 }, deviceScaleFactor: 2 });
  page.on('console', (line) => { if (['error', 'warning'].includes(line.type()) && !line.location().url.endsWith('favicon.ico')) problems.push(line.text()); });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => { if (!request.url().startsWith(origin)) problems.push(`request to ${request.url()}`); });
  await page.addInitScript((name) => { window.theme = name; }, theme);
  await page.goto(origin);
  await page.waitForFunction(() => window.got.some((message) => message.method === 'ui/notifications/initialized'));
  const frame = page.frames().find((one) => one.url().endsWith('/view'));
  return { page, frame, theme };
}

const show = async ({ page, frame }, result) => {
  await page.evaluate((params) => window.send({ method: 'ui/notifications/tool-result', params }), result);
  await frame.locator('#message').waitFor({ state: 'hidden' });
};

async function checked(name, { page, frame }) {
  await page.waitForFunction(() => window.got.some((message) => message.method === 'ui/notifications/size-changed'));
  const overflow = await frame.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (overflow > 0) problems.push(`${name}: ${overflow} pixels too wide`);
  await frame.evaluate(axe);
  const found = await frame.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  for (const one of found.violations) problems.push(`${name}: ${one.id}: ${one.nodes.map((node) => node.html.slice(0, 120)).join(' ')}`);
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

const spelled = (metric, x) => {
  if (x === undefined || x === null) return 'none';
  const digits = metric === 'roas' || metric === 'aov' ? 2 : 0;
  const text = Math.abs(x).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return (x < 0 ? '\u2212' : '') + (metric === 'orders' || metric === 'roas' ? '' : '$') + text;
};

// compareAll reads every period of every metric and granularity with the keyboard, and compares it with the service.
async function compareAll(host, args, pick) {
  let compared = 0;
  for (const metric of ['revenue', 'orders', 'spend', 'roas', 'aov']) {
    await host.frame.locator(`#metrics input[value=${metric}]`).check();
    for (const granularity of ['day', 'week', 'month']) {
      await host.frame.locator(`#grains input[value=${granularity}]`).check();
      const answer = await call({ ...args, metric, granularity, detail_level: 'debug', limit: undefined });
      const { rows, metrics } = answer.structuredContent;
      if (!pick) assert.equal(await host.frame.locator('#figure').textContent(), spelled(metric, metrics[metric].value), `${metric} in total`);
      const names = [...new Set(rows.map((row) => row.channel ?? 'Total'))].filter((name) => !pick || pick(name));
      const one = rows.filter((row) => (row.channel ?? 'Total') === (rows[0].channel ?? 'Total'));
      const cursor = host.frame.locator('#cursor');
      await cursor.press('Home');
      for (let i = 0; i < one.length; i++) {
        const said = await cursor.getAttribute('aria-valuetext');
        for (const name of names) {
          const row = rows.find((r) => r.date === one[i].date && (r.channel ?? 'Total') === name);
          const want = `${name} ${spelled(metric, row.value)}`;
          assert.ok(`${said},`.includes(`${want},`), `${metric} by ${granularity}, ${one[i].date}: shown ${said}, want ${want}`);
          assert.equal(/ so far:|part of the/.test(said.split(/: \w/)[0] + ':'), Boolean(row.partial), `${said}: partial`);
          compared++;
        }
        await cursor.press('ArrowRight');
      }
    }
  }
  return compared;
}

try {
  const days = { start_date: process.env.first, end_date: process.env.last };
  const total = await open('light', 760);
  await show(total, await call({ metric: 'revenue', ...days }));
  console.log(`total: ${await compareAll(total, days)} figures are the service's`);
  await total.frame.locator('#metrics input[value=revenue]').check();
  await total.frame.locator('#grains input[value=day]').check();
  await checked('total', total);

  const args = { breakdown: 'channel', series_limit: 4, ...days };
  const result = await call({ metric: 'revenue', ...args });
  assert.ok(JSON.stringify(result._meta).length < 150_000);
  const channels = result._meta['assay/chart'].series.map((one) => one.name).filter((name) => !['other', 'unattributed'].includes(name));
  const split = await open('dark', 760);
  await show(split, result);
  console.log(`by channel: ${await compareAll(split, { ...days, channels, series_limit: 12 }, (name) => channels.includes(name))} figures are the service's`);
  await split.frame.locator('#metrics input[value=revenue]').check();
  await split.frame.locator('#grains input[value=week]').check();
  const all = await split.frame.locator('#figure').textContent();
  await split.frame.locator('#legend button').first().click();
  assert.notEqual(await split.frame.locator('#figure').textContent(), all, 'the total leaves out a series that is switched off');
  assert.ok(!(await split.frame.locator('#cursor').getAttribute('aria-valuetext')).includes(channels[0]));
  await split.frame.locator('#legend button').first().press('Enter');
  assert.equal(await split.frame.locator('#figure').textContent(), all);
  const box = await split.frame.locator('#cursor').boundingBox();
  await split.page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
  await split.frame.locator('#card').waitFor();
  assert.match(await split.frame.locator('#card').textContent(), new RegExp(`${channels[0]}\\$`));
  await checked('channels-dark-hover', split);
  await split.page.evaluate(() => window.send({ method: 'ui/notifications/host-context-changed', params: { theme: 'light' } }));
  await split.frame.locator('html[data-theme=light]').waitFor();
  await split.page.setViewportSize({ width: 360, height: 760 });
  await split.frame.locator('#cursor').press('End');
  await checked('channels-light-narrow', split);

  for (const [name, more, theme, width] of [
    ['bars-light', { chart_type: 'bar', breakdown: 'channel', granularity: 'week' }, 'light', 900],
    ['bars-total-dark', { chart_type: 'bar', granularity: 'month' }, 'dark', 600],
    ['shares-dark', { chart_type: 'pie' }, 'dark', 600],
    ['shares-light-narrow', { chart_type: 'pie' }, 'light', 340],
    ['roas-light', { metric: 'roas', breakdown: 'channel', granularity: 'week' }, 'light', 760],
    ['csv-dark', { format: 'csv', title: '<img src=x onerror=alert(1)> title' }, 'dark', 760],
  ]) {
    const shown = await open(theme, width);
    await show(shown, await call({ metric: 'revenue', ...days, ...more }));
    await checked(name, shown);
    await shown.page.close();
  }

  const empty = await open('light', 600);
  await empty.page.evaluate((params) => window.send({ method: 'ui/notifications/tool-result', params }), await call({ metric: 'revenue', start_date: '2001-01-01', end_date: '2001-01-31' }));
  await empty.frame.getByText(/no data|store/i).first().waitFor();
  await checked('empty', empty);
  assert.deepEqual(problems, [], 'what the browser and axe complained about');
  console.log('chart view: figures, series, keyboard, hover, themes, widths, no outside request, axe clean');
} finally {
  await browser.close();
  server.close();
}
