// Uses the console with the keyboard only: `node keyboard.mjs`, with the RPC address in `rpc` and an account in `email` and
// `password`. On each page, Tab reaches every control once, in the order in which they are on the page, each with a
// visible focus, and leaves the page at its end; the skip link leads to the content, and each menu opens, closes and
// returns the focus. Then the main tasks are done without a pointer. Exits 1 with what does not work.
import assert from 'node:assert/strict';
import process from 'node:process';
import { launch } from './browser.mjs';

const base = new URL(process.env.rpc).origin;
const problems = [];
const began = performance.now();
const only = new RegExp(process.env.ONLY ?? '');

// Pages of the demo store. Those that the navigation links to are added.
const pages = [
  '/', '/?range=7d&compare=year&channel=google', '/channels?open=google', '/campaigns', '/customers', '/products', '/creators', '/email', '/surveys', '/surfaces',
  '/models', '/models/fit', '/models/contributions', '/models/curves', '/models/diagnostics',
  '/optimizer', '/optimizer?budget=60000&weeks=8&group1=Upper&group1_of=tiktok&group1_max=30000',
  '/experiments', '/experiments?experiment=google-scale-up',
  ...[1, 2, 3, 4, 5].map((step) => `/experiments/plan?${step > 1 ? `channel=tiktok&step=${step}` : ''}`),
  '/forecasts', '/decisions', '/insights', '/alerts', '/budget-changes',
  '/data', '/data/history', '/data/mapping', '/connections', '/connections?connect=google_ads', '/costs', '/connect', '/apps', '/keys', '/people', '/settings', '/shares?page=/channels',
  '/calls', '/security', '/articles?term=roas', '/workspaces', '/account',
];
const phone = ['/', '/channels?open=google', '/optimizer', '/experiments', '/experiments/plan?channel=tiktok&step=3', '/decisions', '/data', '/costs', '/keys'];

const addressOf = (path) => `${base}${path}${path.includes('?') ? '&' : '?'}workspace=demo`;

// watch runs in the page. It opens the details of the content, finds the controls and records each focus.
function watch() {
  for (const more of document.querySelectorAll('main details:not(.drop), .side details.group')) more.open = true;
  const looks = (node) => {
    const style = getComputedStyle(node);
    return [style.outlineStyle === 'none' ? '' : `${style.outlineWidth} ${style.outlineStyle} ${style.outlineColor}`, style.boxShadow].join('|');
  };
  const shown = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && node.closest('[aria-hidden=true]') === null && !node.disabled;
  const found = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, pre[tabindex], [tabindex="0"], .scroll')].filter(shown);
  const groups = new Map(); // of radio buttons: the arrow keys move inside a group
  globalThis.keyboard = { log: [], found: found.filter((node) => {
    if (node.type !== 'radio') return true;
    const group = `${[...document.forms].indexOf(node.form)} ${node.name}`;
    const first = !groups.has(group) || node.checked;
    if (first) groups.set(group, node);
    return first;
  }).filter((node) => node.type !== 'radio' || groups.get(`${[...document.forms].indexOf(node.form)} ${node.name}`) === node) };
  const before = new Map(globalThis.keyboard.found.map((node) => [node, looks(node)]));
  document.addEventListener('focusin', ({ target }) => {
    const box = target.getBoundingClientRect();
    globalThis.keyboard.log.push({ target, changed: looks(target) !== (before.get(target) ?? ''), seen: box.width > 1 && box.height > 1 && box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight });
  });
  return globalThis.keyboard.found.length;
}

// judge runs in the page after the walk and returns what is wrong. It marks one slider of each kind, whose thumb shows the focus
// in a part of its own.
function judge() {
  const { log, found } = globalThis.keyboard;
  const nameOf = (node) => `${node.tagName.toLowerCase()}${node.id && `#${node.id}`} "${(node.getAttribute('aria-label') ?? node.labels?.[0]?.textContent ?? node.textContent).trim().replaceAll(/\s+/g, ' ').slice(0, 40)}"`;
  const wrong = [];
  const thumbs = new Map();
  const order = [];
  for (const one of log) if (!order.includes(one.target)) order.push(one.target);
  for (const node of found) if (!order.includes(node)) wrong.push(`Tab does not reach ${nameOf(node)}`);
  const first = log[0]?.target;
  if (!first?.classList.contains('skip')) wrong.push(`the first control is not the skip link but ${first && nameOf(first)}`);
  for (const { target, seen } of log) if (!seen) wrong.push(`${nameOf(target)} has the focus and is not in the window`);
  // A box inside a scrolled area counts as this area for the controls around it.
  const boxOf = (node, other) => {
    for (let at = node.parentElement; at !== null; at = at.parentElement) {
      if (at.contains(other)) break;
      if (/auto|scroll/.test(getComputedStyle(at).overflow)) return at.getBoundingClientRect();
    }
    return node.getBoundingClientRect();
  };
  for (let i = 1; i < order.length; i++) {
    const [last, next] = [order[i - 1], order[i]];
    const [a, b] = [boxOf(last, next), boxOf(next, last)];
    if (last.classList.contains('skip') || last.contains(next)) continue;
    const above = b.bottom <= a.top + 1 && b.left < a.right;
    const back = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > Math.min(a.height, b.height) / 2 && b.right <= a.left;
    if (above || back) wrong.push(`the focus moves ${above ? 'up' : 'back'} from ${nameOf(last)} to ${nameOf(next)}`);
  }
  for (const { target, changed } of log) {
    if (target.type === 'range') thumbs.set(target.className, target);
    else if (!changed) wrong.push(`the focus of ${nameOf(target)} is not visible`);
  }
  for (const node of thumbs.values()) node.dataset.thumb = nameOf(node);
  return [...new Set(wrong)];
}

// walk presses Tab from the top of a page to its end.
async function walk(page, name) {
  const controls = await page.evaluate(watch);
  const ended = () => page.evaluate(() => {
    const { log } = globalThis.keyboard;
    return log.length > 1 && log.slice(1).some((one) => one.target === log[0].target) || document.activeElement === document.body;
  });
  await Promise.all(Array.from({ length: controls }, () => page.keyboard.press('Tab')));
  for (let i = 0; i < 12 && !await ended(); i++) await page.keyboard.press('Tab');
  if (!await ended()) problems.push(`${name}: Tab does not leave the page: ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120))}`);
  problems.push(...(await page.evaluate(judge)).map((line) => `${name}: ${line}`));
  for (const node of await page.$$('[data-thumb]')) {
    await page.evaluate(() => document.activeElement.blur());
    const without = await node.screenshot();
    await node.focus(); // after a key, the browser shows the focus
    if (without.equals(await node.screenshot())) problems.push(`${name}: the focus of ${await node.getAttribute('data-thumb')} is not visible`);
  }
  return controls;
}

// skips uses the skip link, to which Tab returns from the end of the page.
async function skips(page, name) {
  await reach(page, page.locator('.skip'));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  const inside = await page.evaluate(() => document.activeElement === document.body || document.querySelector('main').contains(document.activeElement));
  if (!inside) problems.push(`${name}: after the skip link, Tab leads to ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 100))}`);
}

// menus opens the menus with Enter, enters them with Tab, and closes them with Escape, which returns the focus.
async function menus(page, name, where) {
  for (const summary of await page.$$(`${where} details.drop > summary`)) {
    if (!await summary.evaluate((node) => { node.focus(); return node.checkVisibility({ visibilityProperty: true }); })) continue;
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const entered = await summary.evaluate((node) => node.parentElement.open && node.parentElement.contains(document.activeElement) && document.activeElement !== node);
    await page.keyboard.press('Escape');
    const left = await summary.evaluate((node) => !node.parentElement.open && document.activeElement === node);
    if (entered && left) continue;
    const menu = (await summary.innerText()).trim().replaceAll(/\s+/g, ' ');
    problems.push(`${name}: menu "${menu}": ${entered ? '' : 'Tab does not enter it. '}${left ? '' : 'Escape does not close it and return the focus.'}`);
  }
}

// reach presses Tab, or Shift+Tab, until the control has the focus.
async function reach(page, what, key = 'Tab') {
  const node = await what.first().elementHandle();
  for (let i = 0; i < 300; i++) {
    if (await node.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${what}`);
}

// press reaches a control and presses a key that opens another page.
async function follow(page, what, key = 'Enter') {
  await reach(page, what);
  await Promise.all([page.waitForEvent('load'), page.keyboard.press(key)]);
}

// fill reaches a field and types.
async function fill(page, field, text) {
  await reach(page, field);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

const tasks = {
  'change the period': async (page) => {
    await page.goto(addressOf('/'));
    await reach(page, page.locator('.chip > summary'));
    await page.keyboard.press('Enter');
    await follow(page, page.getByRole('link', { name: 'Last 7 days', exact: true }));
    assert.equal(new URL(page.url()).searchParams.get('range'), '7d');
    await reach(page, page.locator('.chip > summary'));
    await page.keyboard.press('Space');
    await reach(page, page.getByLabel('From', { exact: true }));
    await page.keyboard.type('10012026'); // month, day, year
    await reach(page, page.getByLabel('To', { exact: true }));
    await page.keyboard.type('10312026');
    await follow(page, page.getByRole('button', { name: 'Apply', exact: true }));
    assert.match(await page.locator('.chip > summary').first().innerText(), /Oct 1 – (Oct )?31, 2026/);
  },
  'plan a geo experiment': async (page) => {
    await page.goto(addressOf('/experiments'));
    await follow(page, page.getByRole('link', { name: 'Plan experiment' }));
    await follow(page, page.locator('main table').getByRole('link', { name: 'TikTok Ads' }));
    await reach(page, page.locator('input[name=design]:checked'));
    await page.keyboard.press('ArrowRight');
    const design = await page.locator('input[name=design]:checked').inputValue();
    await follow(page, page.getByRole('button', { name: 'Continue' }));
    assert.equal(new URL(page.url()).searchParams.get('design'), design);
    const free = page.locator('input[name=treated]:not(:checked)').first();
    const region = await free.inputValue();
    await reach(page, page.locator(`input[name=treated][value="${region}"]`));
    await page.keyboard.press('Space');
    const chosen = await page.locator('input[name=treated]:checked').count();
    assert.match(await page.locator('[data-chosen]').innerText(), new RegExp(`^${chosen} of \\d+ chosen$`));
    assert.equal(await page.locator(`.tiles [data-region="${region}"].treated`).count(), 1, 'the map does not show the region');
    await follow(page, page.getByRole('button', { name: 'Continue' }));
    assert.ok(new URL(page.url()).searchParams.getAll('treated').includes(region));
    await follow(page, page.getByRole('button', { name: 'Continue' }), 'Space');
    await fill(page, page.getByLabel('Name'), 'By keyboard');
    await follow(page, page.getByRole('button', { name: 'Save draft' }));
    await follow(page, page.getByRole('link', { name: 'By keyboard' }));
    assert.match(await page.locator('main').innerText(), new RegExp(`Treated\\s+([A-Z]{2}, )*${region}\\b`));
    await follow(page, page.getByRole('button', { name: /^Cancel experiment/ }));
  },
  'record an experiment': async (page) => {
    await page.goto(addressOf('/experiments'));
    await reach(page, page.locator('summary', { hasText: 'Record a lift study' }));
    await page.keyboard.press('Enter');
    await fill(page, page.getByLabel('Name'), 'Recorded by keyboard');
    await reach(page, page.getByLabel('Channel', { exact: true }));
    await page.keyboard.type('Goog');
    await reach(page, page.locator('input[name=treated][value=CA]'));
    await page.keyboard.press('Space');
    await reach(page, page.locator('summary', { hasText: 'Limit the control regions' }));
    await page.keyboard.press('Space');
    await reach(page, page.locator('input[name=held_out][value=NY]'));
    await page.keyboard.press('Space');
    await follow(page, page.getByRole('button', { name: 'Save draft' }));
    await follow(page, page.getByRole('link', { name: 'Recorded by keyboard' }));
    assert.match((await page.locator('main').innerText()).replaceAll(/\s+/g, ' '), /Google Ads.* Treated CA Control NY/);
    await follow(page, page.getByRole('button', { name: /^Cancel experiment/ }));
  },
  'enter a cost': async (page) => {
    await page.goto(addressOf('/costs'));
    const form = page.locator('details.action');
    if (!await form.evaluate((node) => node.open)) {
      await reach(page, form.locator('summary'));
      await page.keyboard.press('Enter');
    }
    await reach(page, page.getByLabel('Cost', { exact: true }));
    await page.keyboard.type('Gross');
    await reach(page, page.getByLabel('Sales', { exact: true }));
    await page.keyboard.type('Tik');
    await fill(page, page.getByLabel('Percent'), '41.5');
    await reach(page, page.getByLabel('First day'));
    await page.keyboard.type('02032026');
    await follow(page, page.getByRole('button', { name: 'Add cost' }));
    const row = page.getByRole('row', { name: /Gross margin, TikTok Ads/ });
    assert.match((await row.innerText()).replaceAll(/\s+/g, ' '), /Feb 3, 2026 41\.5%/);
    await follow(page, row.getByRole('button', { name: /^Remove/ }));
    assert.equal(await row.count(), 0);
  },
  'preview a budget change': async (page) => {
    await page.goto(addressOf('/optimizer'));
    const most = page.getByRole('textbox', { name: 'Maximum of Facebook Ads' });
    const proposed = page.getByRole('row', { name: /Facebook Ads/ }).locator('td strong');
    const before = Number((await proposed.innerText()).replaceAll(/\D/g, ''));
    await reach(page, page.getByRole('slider', { name: 'Maximum of Facebook Ads, slider' }));
    for (let i = 0; i < 30 && !(Number(await most.inputValue() || before) < before * 0.9); i++) await page.keyboard.press('ArrowLeft');
    const limit = Number(await most.inputValue());
    assert.ok(limit > 0 && limit < before, `the slider sets the limit to ${limit}, proposed were ${before}`);
    await follow(page, page.getByRole('button', { name: 'Optimize budget' }));
    const after = Number((await proposed.innerText()).replaceAll(/\D/g, ''));
    assert.ok(after <= limit + 1, `the limit is ${limit}, proposed are ${after}`);
  },
  'create an API key': async (page) => {
    await page.goto(addressOf('/keys'));
    await fill(page, page.getByLabel('Name'), 'by keyboard');
    await reach(page, page.locator('input[name=scope][value="measurement.write"]'));
    await page.keyboard.press('Space');
    await reach(page, page.getByLabel('Expires after', { exact: true }));
    await page.keyboard.press('ArrowDown');
    await follow(page, page.getByRole('button', { name: 'Create key' }));
    assert.match(await page.locator('#made').innerText(), /^asy_/);
    const row = page.getByRole('row', { name: /by keyboard/ });
    assert.match(await row.innerText(), /Write/);
    await reach(page, row.locator('summary', { hasText: 'Revoke' }));
    await page.keyboard.press('Enter');
    await follow(page, row.getByRole('button', { name: /^Revoke key/ }));
  },
  'share a page': async (page) => {
    await page.goto(addressOf('/channels?range=7d'));
    await follow(page, page.getByRole('link', { name: 'Share this page' }));
    await follow(page, page.getByRole('button', { name: 'Create link' }));
    const link = await page.locator('#link').textContent();
    const visitor = await page.context().browser().newContext();
    const shared = await visitor.newPage();
    await shared.goto(link);
    assert.match(await shared.locator('.plain-bar').innerText(), /Channels/);
    problems.push(...(await walk(shared, 'shared page')) > 0 ? [] : ['shared page: no controls']);
    await visitor.close();
  },
  'ask and use the shortcuts': async (page) => {
    await page.goto(addressOf('/'));
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#shortcuts').isHidden());
    await page.keyboard.press('g');
    await Promise.all([page.waitForURL(/\/channels/), page.keyboard.press('c')]);
    await page.keyboard.press('/');
    await page.keyboard.type('How much revenue did we make last week?');
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    assert.match(await page.locator('h1').innerText(), /\d/);
  },
};

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US' });
const page = await context.newPage();
page.setDefaultTimeout(15_000);
page.on('pageerror', (error) => problems.push(String(error)));

await page.goto(`${base}/sign-in`);
await walk(page, 'sign in');
await page.goto(`${base}/sign-in`);
await fill(page, page.getByLabel('Email'), process.env.email);
await fill(page, page.getByLabel('Password'), process.env.password);
await Promise.all([page.waitForURL(`${base}/`), page.keyboard.press('Enter')]);

let walked = 0;
let controls = 0;
async function check(path, width) {
  const name = `${path} at ${width}`;
  if (!only.test(name)) return;
  await page.goto(addressOf(path));
  try {
    controls += await walk(page, name);
    await skips(page, name);
    await menus(page, name, 'main');
    walked += 1;
  } catch (error) {
    problems.push(`${name}: ${error.message}`);
  }
}
await page.goto(addressOf('/'));
await menus(page, 'navigation and bar', ':is(.side, .bar)');
const linked = await page.locator('.side .group a').evaluateAll((links) => links.map((one) => new URL(one.href).pathname));
for (const path of linked) if (!pages.some((one) => one.split('?')[0] === path)) pages.push(path);
for (const path of pages) await check(path, 1280);

let done = 0;
for (const [name, run] of Object.entries(tasks).filter(([name]) => only.test(name))) {
  try {
    await run(page);
    done += 1;
  } catch (error) {
    problems.push(`${name}: ${error.message}`);
  }
}

await page.setViewportSize({ width: 390, height: 900 });
for (const path of phone) await check(path, 390);
if (only.test('menu')) { // the drawer
  await page.goto(addressOf('/'));
  await reach(page, page.getByRole('link', { name: 'Menu', exact: true }));
  await page.keyboard.press('Enter');
  await follow(page, page.locator('.side').getByRole('link', { name: 'Channels', exact: true }));
  assert.match(page.url(), /\/channels/);
}
await browser.close();
console.log(`keyboard: ${walked} pages with ${controls} controls and ${done} of ${Object.keys(tasks).length} tasks in ${Math.round((performance.now() - began) / 1000)} s; ${problems.length} problems`);
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);
