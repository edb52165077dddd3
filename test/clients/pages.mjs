// Opens every page at two widths, light and dark, saves screenshots and checks each page with axe-core: `node pages.mjs
// FOLDER`, with the RPC address in `rpc` and an account in `email` and `password`. Exits 1 when axe finds something
// serious, a page is wider than the window, or the browser complains. Pages with figures may not exceed 200 KB, load from
// another host or log an error; their first contentful paints are printed.
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
const falseClient = await register('Ledger \u041ewl', [web]); // its O is Cyrillic

let shared = ''; // the latest share link
let invitation = ''; // the latest link from the Members page

// Calls for the Calls page.
for (const [name, args] of [['discover', {}], ['performance', { compact: true }], ['products', { limit: 3 }], ['performance', { channel: 'no-such-channel' }]]) {
  await fetch(process.env.rpc, {
    method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.key}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
}

const orders = (rows) => Buffer.from(`Name,Email,Financial Status,Currency,Subtotal,Shipping,Taxes,Total,Discount Amount,Created at,Lineitem quantity,Lineitem name,Lineitem price,Id
${rows.map((total, i) => `#9${i},b${i}@example.com,paid,USD,${total},0.00,0.00,${total},0.00,2026-11-1${i} 10:00:00 +0000,1,A tee,${total},90000${i}`).join('\n')}
`);

const send = (page, rows) => sendFile(page, 'orders_export_with_quite_a_long_name_1.csv', orders(rows));

// A file of no known source, and one that is previewed.
const till = Buffer.from(`Receipt;Closed;Paid;Loyalty card;Type
R-1;10.11.2026 09:30;1.020,50;anna@example.com;sale
R-2;11.11.2026 19:05;20,00;;sale
R-3;12.11.2026 11:45;7,90;b@example.com;a sale with a remark that goes on and on until it has to break
`);

function large() {
  const rows = ['order_id,created_at,total,remark'];
  for (let i = 0; i < 90_000; i++) rows.push(`large-${i},2026-10-${String(1 + (i % 28)).padStart(2, '0')}T10:00:00Z,10.00,${'x'.repeat(80)}`);
  return Buffer.from(rows.join('\n'));
}

async function sendFile(page, name, buffer, options) {
  await page.goto(`${base}/data`);
  await page.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: 'Check file' }).click(options);
}

const unfold = (page) => page.evaluate(() => document.querySelectorAll('main details').forEach((more) => { more.open = true; }));

// modelsPage opens a page with all details expanded.
async function modelsPage(page, address) {
  await page.goto(base + address);
  for (const folded of await page.locator('main details').all()) await folded.evaluate((node) => { node.open = true; });
}

// charts waits for the charts of a page in the given color scheme. A chart that is not shown is not loaded.
async function charts(page, scheme) {
  for (const picture of await page.locator('picture img').filter({ visible: true }).all()) {
    await picture.scrollIntoViewIfNeeded();
    const drawn = await picture.evaluate(async (node, dark) => {
      const limit = performance.now() + 30_000;
      while (node.currentSrc.includes('theme=dark') !== dark && performance.now() < limit) await new Promise(requestAnimationFrame);
      return node.decode().then(() => node.naturalWidth > 0 && node.currentSrc.includes('theme=dark') === dark, () => false);
    }, scheme === 'dark');
    if (!drawn) problems.push(`${page.url()}, ${scheme}: a chart is missing: ${await picture.getAttribute('src')}`);
  }
}

// Steps after the sign-in: a name, how to reach the page, and whether the page reloads itself.
const steps = [
  ['home', (page) => page.goto(`${base}/`)],
  ['consent', (page) => page.goto(base + request(webClient, web, everything))],
  ['consent-local', (page) => page.goto(base + request(localClient, local, 'measurement.read'))],
  ['consent-imitation', (page) => page.goto(base + request(falseClient, web, 'measurement.read'))],
  ['consent-refused', (page) => page.goto(base + request('nobody', web, everything))],
  ['data', (page) => page.goto(`${base}/data`)],
  ['data-forgotten', async (page) => {
    await page.goto(`${base}/data`);
    await page.getByText('Forget a customer…').click();
    await page.getByLabel('Email address, phone number').fill('nobody@example.com');
    await page.getByLabel('I understand that forgetting the customer cannot be undone').check();
    await page.getByRole('button', { name: 'Forget customer' }).click();
    await page.getByText('The customer is forgotten').waitFor();
  }],
  ['data-checked', async (page) => {
    await send(page, ['20.00', '30.50', '12.00']);
    await page.getByRole('button', { name: 'Import', exact: true }).waitFor();
    await page.evaluate(() => document.querySelectorAll('main details').forEach((more) => { more.open = true; }));
  }],
  ['data-refused', async (page) => {
    await send(page, ['20.00', 'thirty', '12.00']);
    await page.getByRole('alert').waitFor();
  }],
  ['data-unknown', async (page) => {
    await sendFile(page, 'till-export-2026-11.csv', till);
    await page.getByRole('link', { name: 'Map the columns' }).waitFor();
  }],
  ['mapping', async (page) => {
    await page.getByRole('link', { name: 'Map the columns' }).click();
    await unfold(page);
  }],
  ['mapping-wrong', async (page) => {
    await page.locator('#column-order').selectOption('Receipt');
    await page.locator('#column-total').selectOption('Type');
    await page.locator('#column-at').selectOption('Closed');
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByRole('alert').first().waitFor();
  }],
  ['mapping-rejected', async (page) => {
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.locator('#name').fill(`till ${looked}`);
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByRole('region', { name: 'Rejected rows' }).waitFor();
  }],
  ['mapping-checked', async (page) => {
    await page.locator('#column-total').selectOption('Paid');
    await page.locator('#column-customer').selectOption('Loyalty card');
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByRole('button', { name: 'Save and import' }).waitFor();
  }],
  ['mapping-saved', async (page) => {
    await page.getByRole('button', { name: 'Save mapping' }).click();
    await page.getByRole('status').first().waitFor();
    await page.goto(`${base}/data`);
    await page.locator('#mappings a').last().click();
    await unfold(page);
  }],
  ['data-mappings', async (page) => {
    await page.goto(`${base}/data`);
    await page.locator('#mappings').scrollIntoViewIfNeeded();
  }],
  ['data-task', async (page) => {
    await sendFile(page, 'a-large-file.csv', large(), { noWaitAfter: true });
    await page.waitForURL(/data\/task/);
  }, 'reloads'],
  ['data-changed', async (page) => {
    for (const total of ['20.00', `25.5${looked % 10}`]) {
      await send(page, [total, '30.50', '12.00']);
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByRole('status').first().waitFor();
    }
    await page.goto(`${base}/data`);
    await page.locator('#changed').scrollIntoViewIfNeeded();
  }],
  ['history', (page) => page.goto(`${base}/data/history`)],
  ['history-day', async (page) => {
    await page.goto(`${base}/data/history`);
    await page.locator('.grid a').first().click();
    await page.getByRole('link', { name: 'All restated days' }).waitFor();
  }],
  ['history-none', (page) => page.goto(`${base}/data/history?workspace=without-data`)],
  ['history-wrong', (page) => page.goto(`${base}/data/history?day=yesterday`)],
  ['connect', (page) => page.goto(`${base}/connect`)],
  ['keys', (page) => page.goto(`${base}/keys`)],
  ['key-made', async (page) => {
    await page.goto(`${base}/keys`);
    await page.getByLabel('Name').fill('weekly report');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('New API key').waitFor();
  }],
  ['key-problem', async (page) => {
    await page.goto(`${base}/keys`);
    await page.getByLabel('Name').fill('nothing ticked');
    for (const box of await page.locator('input[name=scope]:checked').all()) await box.uncheck();
    await page.getByRole('button', { name: 'Create key' }).click();
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
    await page.getByLabel('Email').fill(`someone.with.a.long.name+${looked}@subsidiary.example.com`);
    await page.getByRole('button', { name: 'Create invitation' }).click();
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
  ['alerts', (page) => page.goto(`${base}/alerts?workspace=demo`)],
  ['settings', (page) => page.goto(`${base}/settings?workspace=demo`)],
  ['calls', (page) => page.goto(`${base}/calls`)],
  ['calls-none', (page) => page.goto(`${base}/calls?status=refused`)],
  ['security', (page) => page.goto(`${base}/security`)],
  ['connections', (page) => page.goto(`${base}/connections?workspace=demo`)],
  ['connections-form', (page) => page.goto(`${base}/connections?workspace=demo&connect=google_ads`)],
  ['connections-none', (page) => page.goto(`${base}/connections?workspace=without-data`)],
  ['connections-refused', async (page) => {
    await page.goto(`${base}/connections?workspace=without-data&connect=tiktok`);
    await page.getByLabel('Advertiser ID').fill('not a number');
    await page.getByLabel('Access token').fill('secret');
    await page.getByRole('button', { name: 'Connect and test' }).click();
    await page.getByRole('alert').waitFor();
  }],
  ['changes', async (page) => {
    await page.goto(`${base}/budget-changes?workspace=demo`);
    await unfold(page);
  }],
  ['changes-none', (page) => page.goto(`${base}/budget-changes?workspace=without-data`)],
  ['changes-refused', async (page) => {
    await page.goto(`${base}/budget-changes?workspace=without-data`);
    await unfold(page);
    await page.getByLabel('Maximum daily budget').fill('much');
    await page.getByRole('button', { name: 'Save guardrails' }).click();
    await page.getByRole('alert').waitFor();
  }],
  ['models', (page) => modelsPage(page, '/models?workspace=demo')],
  ['models-fit', (page) => modelsPage(page, '/models/fit?workspace=demo')],
  ['models-contributions', (page) => modelsPage(page, '/models/contributions?workspace=demo')],
  ['models-curves', (page) => modelsPage(page, '/models/curves?workspace=demo')],
  ['models-diagnostics', (page) => modelsPage(page, '/models/diagnostics?workspace=demo')],
  ['optimizer', (page) => page.goto(`${base}/optimizer?workspace=demo&budget=60000&min_tiktok=100`)],
  ['optimizer-groups', (page) => modelsPage(page, '/optimizer?workspace=demo&budget=60000&group1=Upper+funnel&group1_of=tiktok&group1_of=facebook&group1_min=20000&group2_of=google&group2_max=30000')],
  ['optimizer-infeasible', (page) => modelsPage(page, '/optimizer?workspace=demo&budget=60000&group1=Upper+funnel&group1_of=tiktok&group1_min=50000')],
  ['optimizer-weeks', (page) => modelsPage(page, '/optimizer?workspace=demo&budget=12000&weeks=12&step_google=10&step_facebook=10&group1=Upper+funnel&group1_of=tiktok&group1_of=facebook&group1_min=6000')],
  ['optimizer-none', (page) => page.goto(`${base}/optimizer?workspace=without-data`)],
  ['models-none', (page) => page.goto(`${base}/models?workspace=without-data`)],
  ['forecasts', (page) => modelsPage(page, '/forecasts?workspace=demo')],
  ['forecasts-weekly', (page) => modelsPage(page, '/forecasts?workspace=demo&period=weekly')],
  ['forecasts-refused', async (page) => {
    await page.goto(`${base}/forecasts?workspace=demo`);
    await unfold(page);
    await page.getByLabel('First day').fill('2026-12-01');
    await page.getByLabel('Target', { exact: true }).fill('0');
    await page.getByRole('button', { name: 'Set target' }).click();
    await page.getByRole('alert').waitFor();
  }],
  ['forecasts-none', (page) => page.goto(`${base}/forecasts?workspace=without-data`)],
  ['experiments', (page) => page.goto(`${base}/experiments`)],
  ['experiment', (page) => page.goto(`${base}/experiments?experiment=google-scale-up`)],
  ['experiments-none', (page) => page.goto(`${base}/experiments?workspace=without-data`)],
  ['plan', (page) => page.goto(`${base}/experiments/plan?workspace=demo`)],
  ['plan-design', (page) => page.goto(`${base}/experiments/plan?workspace=demo&channel=tiktok`)],
  ['plan-regions', (page) => page.goto(`${base}/experiments/plan?workspace=demo&channel=tiktok&step=3`)],
  ['plan-dates', (page) => page.goto(`${base}/experiments/plan?workspace=demo&channel=tiktok&step=4`)],
  ['plan-checklist', (page) => page.goto(`${base}/experiments/plan?workspace=demo&channel=tiktok&step=5`)],
  ['costs', (page) => modelsPage(page, '/costs?workspace=demo')],
  ['costs-none', (page) => modelsPage(page, '/costs?workspace=without-data')],
  ['costs-refused', async (page) => {
    await modelsPage(page, '/costs?workspace=without-data');
    await page.getByLabel('Percent').fill('many');
    await page.getByRole('button', { name: 'Add cost' }).click();
    await page.getByRole('alert').waitFor();
  }],
  ['shortcuts', async (page) => {
    await page.goto(`${base}/?workspace=demo`);
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  }],
  ['shared-ended', (page) => page.goto(`${base}/shared/wrong`)],
  ['not-found', (page) => page.goto(`${base}/nothing-here`)],
];

// Pages with figures.
const figures = [
  ['decisions', (page) => page.goto(`${base}/decisions?workspace=demo`)],
  ['insights', async (page) => {
    await page.goto(`${base}/insights?workspace=demo`);
    await unfold(page);
  }],
  ['insights-dismissed', async (page) => {
    await page.goto(`${base}/insights?workspace=demo`);
    if (await page.getByRole('heading', { name: 'Dismissed' }).isVisible()) return;
    await page.locator('details.action summary', { hasText: 'Dismiss' }).last().click();
    await page.getByRole('button', { name: 'Dismiss' }).last().click();
    await page.getByRole('heading', { name: 'Dismissed' }).waitFor();
  }],
  ['insights-none', (page) => page.goto(`${base}/insights?workspace=without-data`)],
  ['workspaces', (page) => page.goto(`${base}/workspaces`)],
  ['channels', (page) => page.goto(`${base}/channels?workspace=demo&open=google`)],
  ['campaigns', (page) => page.goto(`${base}/campaigns?workspace=demo&sort=-reported_roas`)],
  ['customers', (page) => page.goto(`${base}/customers?workspace=demo`)],
  ['products', (page) => page.goto(`${base}/products?workspace=demo&page=2`)],
  ['creators', (page) => page.goto(`${base}/creators?workspace=demo&range=90d`)],
  ['email', (page) => page.goto(`${base}/email?workspace=demo`)],
  ['surveys', (page) => page.goto(`${base}/surveys?workspace=demo`)],
  ['surfaces', (page) => page.goto(`${base}/surfaces?workspace=demo`)],
  ['shares', (page) => page.goto(`${base}/shares?workspace=demo&page=/channels&range=7d`)],
  ['share-made', async (page) => {
    await page.goto(`${base}/channels?workspace=demo&range=7d`);
    await page.getByRole('link', { name: 'Share this page' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    shared = await page.locator('#link').textContent();
  }],
  ['shared-page', (page) => page.goto(shared)],
  ['connect-cursor', (page) => page.goto(`${base}/connect?workspace=demo&client=cursor`)],
  ['optimizer-limits', async (page) => {
    await page.goto(`${base}/optimizer?workspace=demo`);
    await page.getByRole('slider', { name: 'Maximum of Facebook Ads, slider' }).press('ArrowLeft');
    await page.getByText('The limits have changed').waitFor();
  }],
  ['article', (page) => page.goto(`${base}/articles?workspace=demo&term=roas`)],
  ['overview-empty', (page) => page.goto(`${base}/?workspace=without-data`)],
  ['overview-year', (page) => page.goto(`${base}/?workspace=demo&range=year&compare=year&channel=google`)],
  ['overview-menus', async (page) => {
    await page.goto(`${base}/?workspace=demo`);
    await page.locator('.chip summary').first().click();
    await page.getByLabel('From', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.call summary').first().click();
    await page.getByRole('button', { name: 'Copy curl' }).first().waitFor();
  }],
  ['overview-values', async (page) => {
    await page.goto(`${base}/?workspace=demo`);
    const picture = page.locator('svg.days:visible');
    await picture.focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.plot-card:visible').waitFor();
  }],
  ['menu', async (page) => {
    await page.goto(`${base}/?workspace=demo`);
    if (await page.getByRole('link', { name: 'Menu', exact: true }).isVisible()) await page.getByRole('link', { name: 'Menu', exact: true }).click();
    await page.getByRole('link', { name: 'Sales surfaces' }).waitFor();
  }],
  ['ask', async (page) => {
    await page.goto(`${base}/?workspace=demo`);
    await page.keyboard.press('/');
    await page.keyboard.type('How much revenue did we make last week, by channel?');
    await page.keyboard.press('Enter');
    await page.getByText('Example questions').waitFor();
  }],
];

// weigh reports pages that are heavy, slow or load from another host.
async function weigh(page, name) {
  const { bytes, foreign, painted } = await page.evaluate(async () => {
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return {
      bytes: all.reduce((sum, one) => sum + one.decodedBodySize, 0),
      foreign: all.map((one) => one.name).filter((address) => new URL(address).origin !== location.origin),
      painted: await new Promise((resolve) => { // the browser reports a paint a moment later
        new PerformanceObserver((list) => {
          for (const entry of list.getEntriesByName('first-contentful-paint')) resolve(entry.startTime);
        }).observe({ type: 'paint', buffered: true });
        setTimeout(resolve, 5000);
      }),
    };
  });
  if (bytes > 200_000) problems.push(`${name}: ${bytes} bytes`);
  for (const address of foreign) problems.push(`${name}: request to ${address}`);
  if (painted === undefined) problems.push(`${name}: no first contentful paint`);
  else paints.push({ name, painted });
}

const only = new RegExp(process.env.ONLY ?? ''); // names of the steps that are wanted
const problems = [];
const paints = []; // first contentful paints of pages with figures, in milliseconds
let looked = 0;

// look saves a screenshot and checks the page.
async function look(page, name) {
  looked += 1;
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) problems.push(`${name}: ${wide} pixels wider than the window`);
  for (const line of await page.evaluate(leaving)) problems.push(`${name}: ${line}`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }));
  for (const v of violations) {
    const line = `${name}: ${v.impact}: ${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', ')})`;
    if (['serious', 'critical'].includes(v.impact)) problems.push(line);
    else console.log(line);
  }
}

// leaving runs in the page and returns blocks that are wider than their column although the window has room.
function leaving() {
  const main = document.querySelector('main');
  if (main === null) return [];
  const edge = main.getBoundingClientRect().right;
  return [...main.querySelectorAll('table, section, form, figure, pre, dl')]
    .filter((node) => node.parentElement.closest('.scroll, details:not([open])') === null && node.getBoundingClientRect().right > edge + 1)
    .map((node) => `${node.tagName.toLowerCase()} "${node.textContent.trim().slice(0, 30)}" reaches ${Math.round(node.getBoundingClientRect().right - edge)} pixels out of its column`);
}

// lookInBoth looks at an open page in both color schemes. A page that reloads itself is opened again by `open`.
async function lookInBoth(page, name, open) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await open?.(page);
    await charts(page, colorScheme);
    await look(page, `${name}-${colorScheme}`);
  }
}

const browser = await launch();
for (const width of [390, 1280]) {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (line) => { if (/Content Security Policy/.test(line.text())) problems.push(`${page.url()}: ${line.text()}`); });
  await page.goto(`${base}/sign-in`);
  await lookInBoth(page, `sign-in-${width}`);
  await page.getByLabel('Email').fill('nobody@example.com');
  await page.getByLabel('Password').fill('not the right one');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await lookInBoth(page, `sign-in-wrong-${width}`);
  await page.goto(`${base}/sign-in`);
  await signIn(page);
  await page.waitForURL(`${base}/`);
  for (const [step, open, reloads] of steps.filter(([step]) => only.test(step))) {
    if (!reloads) await open(page);
    await lookInBoth(page, `${step}-${width}`, reloads && open);
  }
  page.on('console', (line) => { if (line.type() === 'error') problems.push(`${page.url()}: ${line.text()}`); });
  for (const [step, open] of figures.filter(([step]) => only.test(step))) {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await open(page);
      await weigh(page, `${step}-${width}-${colorScheme}`);
      await look(page, `${step}-${width}-${colorScheme}`);
    }
  }
  await context.close();
}
// Charts: the texts of each SVG must not overlap and must be inside the image.
const forms = path.join(folder, 'charts');
const drawn = fs.readdirSync(forms).filter((name) => name.endsWith('.svg') && only.test(`chart-${name}`));
for (const name of drawn) {
  const svg = fs.readFileSync(path.join(forms, name), 'utf8');
  const [, width, height] = svg.match(/ width="(\d+)" height="(\d+)"/);
  const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) } });
  await page.setContent(`<!doctype html><html lang="en"><title>${name}</title><style>body{margin:0}svg{display:block}</style><main><h1 style="position:absolute;clip-path:inset(50%);height:1px">${name}</h1>${svg}</main></html>`);
  await look(page, path.join('charts', path.basename(name, '.svg')));
  for (const line of await page.evaluate(overlaps)) problems.push(`${name}: ${line}`);
  await page.close();
}

// overlaps runs in the page.
function overlaps() {
  const picture = document.querySelector('svg').getBoundingClientRect();
  const texts = [...document.querySelectorAll('svg text')].map((node) => ({ words: node.textContent, box: node.getBoundingClientRect() }));
  const found = [];
  texts.forEach(({ words, box }, i) => {
    // A machine without the font that texts are measured with may draw them wider than the margin leaves room for.
    if (box.left < picture.left - 1 || box.right > picture.right + 16 || box.top < picture.top - 1 || box.bottom > picture.bottom + 1) found.push(`"${words}" leaves the picture`);
    for (const other of texts.slice(i + 1)) {
      const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (wide > 1 && high > 3) found.push(`"${words}" and "${other.words}" overlap`); // lines of text may share their leading
    }
  });
  return found;
}

await browser.close();
paints.sort((a, b) => a.painted - b.painted);
if (paints.length > 0) {
  const { name, painted } = paints.at(-1);
  const slow = paints.filter((one) => one.painted > 300);
  console.log(`first contentful paint of ${paints.length} pages with figures: median ${Math.round(paints[paints.length >> 1].painted)} ms, slowest ${Math.round(painted)} ms (${name}), ${slow.length} over 300 ms`);
}
console.log(`${looked} pictures in ${folder}; ${problems.length} problems`);
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
