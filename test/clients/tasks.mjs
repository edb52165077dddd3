// Does five tasks in Chromium as a new user who knows only the screen, and prints the steps of each: `node tasks.mjs`, with the
// RPC address in `rpc` and an account in `email` and `password`. Each step uses a control by its visible name. The first column
// of seconds is the time of the pages. The second one adds a person's time by the keystroke-level model (Card, Moran and
// Newell 1980): 1.35 s to decide, 1.1 s to point and 0.2 s to click for each click, and 0.28 s for each key. With BEFORE=1 the
// console is that of the first version, which has three pages.
import assert from 'node:assert/strict';
import process from 'node:process';
import { launch, signIn } from './browser.mjs';

const base = new URL(process.env.rpc).origin;
const perClick = 1.35 + 1.1 + 0.2;
const perKey = 0.28;

// Walk counts what a person does on a page.
class Walk {
  constructor(page) {
    this.page = page;
    this.clicks = 0;
    this.keys = 0;
    this.steps = [];
  }

  async click(what, name, leaves = false) {
    await what.waitFor({ state: 'visible' });
    this.clicks += 1;
    this.steps.push(name);
    await Promise.all([leaves ? this.page.waitForEvent('load') : undefined, what.click()]);
  }

  async type(field, text, name) {
    await this.click(field, name);
    await field.fill('');
    await field.pressSequentially(text);
    this.keys += text.length;
  }
}

const nav = (page, name) => page.locator('.side').getByRole('link', { name, exact: true });

const tasks = [
  ['Why did revenue fall last week?', async (page, walk) => {
    await walk.click(page.locator('.chip summary').first(), 'Period');
    await walk.click(page.getByRole('link', { name: 'Last 7 days', exact: true }), 'Last 7 days', true);
    const changes = page.getByRole('region', { name: 'What changed' }).getByRole('row');
    assert.ok(await changes.count() > 3);
    return page.locator('h1').textContent();
  }],
  ['Is Facebook worth its money?', async (page, walk) => {
    await walk.click(nav(page, 'Channels'), 'Channels', true);
    const row = page.getByRole('row', { name: /Facebook Ads/ }).first();
    return (await row.innerText()).replace(/\s+/g, ' ');
  }],
  ['Move 10% of the budget and see the effect', async (page, walk) => {
    await walk.click(nav(page, 'Budget optimizer'), 'Budget optimizer', true);
    const budget = Number(await page.getByLabel(/^Monthly budget/).inputValue());
    const most = page.getByRole('textbox', { name: 'Maximum of Facebook Ads' });
    const current = Number((await page.getByRole('row', { name: /Facebook Ads/ }).locator('td').nth(1).innerText()).replace(/\D/g, ''));
    await walk.type(most, String(Math.max(1, Math.round(current - 0.1 * budget))), 'Maximum of Facebook Ads');
    await walk.click(page.getByRole('button', { name: 'Optimize budget' }).first(), 'Optimize budget', true);
    return `${await page.locator('h1').textContent()} ${await page.locator('.side-column .kpi-value').innerText()}`;
  }],
  ['The same with the slider', async (page, walk) => {
    await walk.click(nav(page, 'Budget optimizer'), 'Budget optimizer', true);
    const thumb = page.getByRole('slider', { name: 'Maximum of Facebook Ads, slider' });
    const box = await thumb.boundingBox();
    const at = (value, most) => box.x + 8 + (box.width - 16) * (value / most);
    const [value, most] = await thumb.evaluate((node) => [Number(node.value), Number(node.max)]);
    walk.clicks += 1;
    walk.steps.push('drag the maximum of Facebook Ads');
    await page.mouse.move(at(value, most), box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(at(value * 0.7, most), box.y + box.height / 2, { steps: 8 });
    await page.mouse.up();
    const dragged = Number(await page.getByRole('textbox', { name: 'Maximum of Facebook Ads' }).inputValue());
    assert.ok(dragged > 0 && dragged < value, `dragged from ${value} to ${dragged}`);
    await thumb.press('ArrowLeft');
    assert.ok(Number(await page.getByRole('textbox', { name: 'Maximum of Facebook Ads' }).inputValue()) < dragged, 'the arrow key lowers the limit');
    await walk.click(page.getByRole('button', { name: 'Optimize budget' }).first(), 'Optimize budget', true);
    return page.locator('h1').textContent();
  }],
  ['Plan a geo experiment', async (page, walk) => {
    await walk.click(nav(page, 'Experiments'), 'Experiments', true);
    await walk.click(page.getByRole('link', { name: 'Plan experiment' }).first(), 'Plan experiment', true);
    await walk.click(page.locator('main table').getByRole('link').first(), 'first channel', true);
    for (const step of ['design', 'regions', 'dates']) {
      await page.locator('[aria-current=step]').waitFor();
      await walk.click(page.getByRole('button', { name: 'Continue' }), `Continue (${step})`, true);
    }
    await walk.click(page.getByRole('button', { name: 'Save draft' }), 'Save draft', true);
    return page.locator('h1').textContent();
  }],
  ['Connect an assistant', async (page, walk) => {
    await walk.click(page.locator('.side summary', { hasText: 'Setup' }), 'Setup');
    await walk.click(nav(page, 'Connect an app'), 'Connect an app', true);
    await walk.click(page.getByRole('button', { name: 'Copy command' }), 'Copy command');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  }],
];

const before = [
  ['Connect an assistant', async (page, walk) => {
    await walk.click(page.getByRole('link', { name: 'Connect a program' }), 'Connect a program', true);
    const command = page.locator('pre', { hasText: 'claude mcp add' });
    await command.waitFor();
    walk.clicks += 1; // a triple click selects the line
    walk.keys += 2;
    walk.steps.push('select and copy the command');
    return command.innerText();
  }],
];

const browser = await launch();
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, permissions: ['clipboard-read', 'clipboard-write'] });
const page = await context.newPage();
const broken = [];
page.on('pageerror', (error) => broken.push(String(error)));
page.on('console', (line) => { if (line.type() === 'error') broken.push(line.text()); });
await page.goto(`${base}/sign-in`);
if (process.env.BEFORE) { // its labels differ
  await page.locator('input[name=email]').fill(process.env.email);
  await page.locator('input[type=password]').fill(process.env.password);
  await page.locator('main button').click();
} else {
  await signIn(page);
}
await page.waitForURL(`${base}/`);
console.log('task | clicks | keys | s of pages | s of a person | steps | answer');
for (const [name, run] of process.env.BEFORE ? before : tasks) {
  await page.goto(`${base}/`);
  const walk = new Walk(page);
  const began = performance.now();
  const answer = await run(page, walk);
  const seconds = (performance.now() - began) / 1000;
  const person = seconds + walk.clicks * perClick + walk.keys * perKey;
  console.log([name, walk.clicks, walk.keys, seconds.toFixed(1), person.toFixed(0), walk.steps.join(' → '), answer.trim()].join(' | '));
}
await browser.close();
assert.deepEqual(broken, [], 'what the browser complained about');
