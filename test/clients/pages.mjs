// Opens every page at two widths, light and dark, keeps a picture of each, and lets axe-core read it: `node pages.mjs
// FOLDER`, with the RPC address in `rpc` and an account in `email` and `password`. Exits 1 when axe finds something
// serious, a page is wider than the window, or the browser complains.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { createRequire } from 'node:module';
import { launch, signIn } from './browser.mjs';

const folder = process.argv[2];
fs.mkdirSync(folder, { recursive: true });
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const base = new URL(process.env.rpc).origin;
const long = 'A program whose name is as long as a name may be, with many words, so that lines have to break, yes';

async function register(name, redirects) {
  const answer = await fetch(`${base}/api/mcp/register`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ client_name: name, redirect_uris: redirects }),
  });
  return (await answer.json()).client_id;
}

const request = (client, redirect, scope) => `/api/mcp/authorize?${new URLSearchParams({
  response_type: 'code', client_id: client, redirect_uri: redirect, scope, state: 's', code_challenge: 'a'.repeat(43), code_challenge_method: 'S256',
})}`;
const everything = 'measurement.read measurement.write measurement.approve_execution';
const web = 'https://owl.example/a/rather/long/address/of/a/callback?tenant=7';
const local = 'http://localhost:3000/callback';
const listener = http.createServer((_, response) => response.end('back at the program'));
await new Promise((resolve) => { listener.listen(0, '127.0.0.1', resolve); });
const own = `http://127.0.0.1:${listener.address().port}/callback`;
const ownClient = await register('Owl at home', [own]);
const webClient = await register('Ledger Owl', [web]);
const localClient = await register(long, [local]);

let invitation = ''; // the link that the page People made last

// Something to see on the page of calls.
for (const [name, args] of [['discover', {}], ['performance', { compact: true }], ['products', { limit: 3 }], ['performance', { channel: 'no-such-channel' }]]) {
  await fetch(process.env.rpc, {
    method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
}

const orders = (rows) => Buffer.from(`Name,Email,Financial Status,Currency,Subtotal,Shipping,Taxes,Total,Discount Amount,Created at,Lineitem quantity,Lineitem name,Lineitem price,Id
${rows.map((total, i) => `#9${i},b${i}@example.com,paid,USD,${total},0.00,0.00,${total},0.00,2026-11-1${i} 10:00:00 +0000,1,A tee,${total},90000${i}`).join('\n')}
`);

async function send(page, rows) {
  await page.goto(`${base}/data`);
  await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'orders_export_with_quite_a_long_name_1.csv', mimeType: 'text/csv', buffer: orders(rows) });
  await page.getByRole('button', { name: 'Check the file' }).click();
}

// modelsPage opens the page of the model with all that it hides, and waits for its pictures.
async function modelsPage(page, address) {
  await page.goto(base + address);
  for (const folded of await page.locator('details').all()) await folded.evaluate((node) => { node.open = true; });
  for (const picture of await page.locator('img').all()) {
    await picture.scrollIntoViewIfNeeded();
    const drawn = await picture.evaluate(async (node) => {
      if (!node.complete) await new Promise((done) => { node.onload = done; node.onerror = done; });
      return node.naturalWidth > 0;
    });
    if (!drawn) problems.push(`${address}: a picture is missing: ${await picture.getAttribute('src')}`);
  }
}

// Steps after the sign-in: a name and how the page is reached.
const steps = [
  ['home', (page) => page.goto(`${base}/`)],
  ['consent', (page) => page.goto(base + request(webClient, web, everything))],
  ['consent-local', (page) => page.goto(base + request(localClient, local, 'measurement.read'))],
  ['consent-refused', (page) => page.goto(base + request('nobody', web, everything))],
  ['data', (page) => page.goto(`${base}/data`)],
  ['data-checked', async (page) => {
    await send(page, ['20.00', '30.50', '12.00']);
    await page.getByRole('button', { name: 'Import it' }).waitFor();
    await page.evaluate(() => document.querySelectorAll('main details').forEach((more) => { more.open = true; }));
  }],
  ['data-refused', async (page) => {
    await send(page, ['20.00', 'thirty', '12.00']);
    await page.getByRole('alert').waitFor();
  }],
  ['connect', (page) => page.goto(`${base}/connect`)],
  ['keys', (page) => page.goto(`${base}/keys`)],
  ['key-made', async (page) => {
    await page.goto(`${base}/keys`);
    await page.getByLabel('Name').fill('weekly report');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByText('Your new key').waitFor();
  }],
  ['key-problem', async (page) => {
    await page.goto(`${base}/keys`);
    await page.getByLabel('Name').fill('nothing ticked');
    for (const box of await page.locator('input[name=scope]:checked').all()) await box.uncheck();
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByRole('alert').waitFor();
  }],
  ['apps', async (page) => {
    await page.goto(base + request(ownClient, own, everything));
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${own}?**`);
    await page.goto(`${base}/apps`);
  }],
  ['people', (page) => page.goto(`${base}/people`)],
  ['people-invited', async (page) => {
    await page.goto(`${base}/people`);
    await page.getByLabel('E-mail').fill(`someone.with.a.long.name+${looked}@subsidiary.example.com`);
    await page.getByRole('button', { name: 'Make the link' }).click();
    invitation = await page.locator('code.secret').textContent();
  }],
  ['set-up-other', (page) => page.goto(invitation)],
  ['set-up', async (page) => {
    await page.context().clearCookies();
    await page.goto(invitation);
    await page.getByLabel('Choose a password').waitFor();
  }],
  ['set-up-used', (page) => page.goto(`${invitation}x`)],
  ['account', async (page) => {
    await page.goto(`${base}/sign-in`);
    await signIn(page);
    await page.waitForURL(`${base}/`);
    await page.goto(`${base}/account`);
  }],
  ['calls', (page) => page.goto(`${base}/calls`)],
  ['calls-none', (page) => page.goto(`${base}/calls?status=refused`)],
  ['security', (page) => page.goto(`${base}/security`)],
  ['models', (page) => modelsPage(page, '/models?workspace=demo')],
  ['models-plan', (page) => modelsPage(page, '/models?workspace=demo&budget=60000&min_tiktok=100')],
  ['models-none', (page) => page.goto(`${base}/models?workspace=without-data`)],
  ['forecasts', (page) => modelsPage(page, '/forecasts?workspace=demo')],
  ['forecasts-weekly', (page) => modelsPage(page, '/forecasts?workspace=demo&period=weekly')],
  ['forecasts-refused', async (page) => {
    await page.goto(`${base}/forecasts?workspace=demo`);
    await page.getByLabel('First day').fill('2026-12-01');
    await page.getByLabel('Target', { exact: true }).fill('0');
    await page.getByRole('button', { name: 'Set the target' }).click();
    await page.getByRole('alert').waitFor();
  }],
  ['forecasts-none', (page) => page.goto(`${base}/forecasts?workspace=without-data`)],
  ['experiments', (page) => page.goto(`${base}/experiments`)],
  ['experiment', (page) => page.goto(`${base}/experiments?experiment=google-scale-up`)],
  ['experiment-check', (page) => modelsPage(page, '/experiments?workspace=demo&channel=tiktok')],
  ['not-found', (page) => page.goto(`${base}/nothing-here`)],
];

const problems = [];
let looked = 0;

// look keeps a picture and reads the page.
async function look(page, name) {
  looked += 1;
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) problems.push(`${name}: ${wide} pixels wider than the window`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
  for (const v of violations) {
    const line = `${name}: ${v.impact}: ${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', ')})`;
    if (['serious', 'critical'].includes(v.impact)) problems.push(line);
    else console.log(line);
  }
}

const browser = await launch();
for (const width of [390, 1280]) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    const name = (step) => `${step}-${width}-${colorScheme}`;
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (line) => { if (/Content Security Policy/.test(line.text())) problems.push(`${page.url()}: ${line.text()}`); });
    await page.goto(`${base}/sign-in`);
    await look(page, name('sign-in'));
    await page.getByLabel('E-mail').fill('nobody@example.com');
    await page.getByLabel('Password').fill('not the right one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await look(page, name('sign-in-wrong'));
    await page.goto(`${base}/sign-in`);
    await signIn(page);
    await page.waitForURL(`${base}/`);
    for (const [step, open] of steps) {
      await open(page);
      await look(page, name(step));
    }
    await context.close();
  }
}
await browser.close();
console.log(`${looked} pictures in ${folder}; ${problems.length} problems`);
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
