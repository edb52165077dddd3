// Simulates a person with headless Chromium: signs in, ticks boxes and gives or denies consent. The account is in `email` and
// `password`, the program in `chromium`. `node browser.mjs ADDRESS [allow|deny] [SCOPE...]` decides once, with those
// scopes ticked in addition to those that the page ticks.
import assert from 'node:assert/strict';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const launch = () => chromium.launch({
  executablePath: process.env.chromium ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});

// signIn fills in the form that the page shows.
export async function signIn(page) {
  await page.getByLabel('Email').fill(process.env.email);
  await page.getByLabel('Password').fill(process.env.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

// decide follows an authorization request in a new browser until it redirects to the client, and returns the target. A
// violation of the content security policy or a script error is an error.
export async function decide(browser, address, decision = 'allow', ticks = []) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const own = new URL(address).origin;
    const broken = [];
    page.on('console', (line) => { if (line.type() === 'error' && line.location().url.startsWith(own)) broken.push(line.text()); });
    page.on('pageerror', (error) => broken.push(String(error)));
    await page.goto(address);
    await signIn(page);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    for (const scope of ticks) await page.locator(`input[name=scope][value="${scope}"]`).check();
    await page.getByRole('button', { name: decision === 'allow' ? 'Allow' : 'Deny' }).click();
    await page.waitForURL((url) => url.origin !== own);
    assert.deepEqual(broken, [], 'what the browser complained about');
    return new URL(page.url());
  } finally {
    await context.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const browser = await launch();
  try {
    const [address, decision, ...ticks] = process.argv.slice(2);
    console.log((await decide(browser, address, decision, ticks)).href);
  } finally {
    await browser.close();
  }
}
