// Takes the screenshots of README.md: `node screenshots.mjs FOLDER`, with the address of a demo in `base` and its account in
// `email` and `password`.
import path from 'node:path';
import process from 'node:process';
import { launch, signIn } from './browser.mjs';

const folder = process.argv[2];
const { base } = process.env;

// Each picture shows a page from a heading down, or from its top.
const pictures = [
  { name: 'console-overview', address: '/', heading: '', height: 900 },
  { name: 'console-model', address: '/models', heading: '', height: 900 },
  { name: 'console-optimizer', address: '/optimizer', heading: '', height: 900 },
  { name: 'console-experiment', address: '/experiments?experiment=facebook-scale-up', heading: '', height: 820 },
];
const { base } = process.env;

// Each picture shows a page from a heading down, or from its top.
const pictures = [
  { name: 'console-model', address: '/models', heading: 'Incremental revenue by channel', height: 760 },
  { name: 'console-experiment', address: '/experiments?experiment=facebook-scale-up', heading: 'Observed and expected revenue', height: 620 },
];

const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
await page.goto(`${base}/sign-in`);
await signIn(page);
for (const picture of pictures) {
  await page.setViewportSize({ width: 1280, height: picture.height });
  await page.goto(base + picture.address);
  for (const image of await page.locator('img').all()) {
    await image.scrollIntoViewIfNeeded();
    await image.evaluate((one) => one.decode());
  }
  if (picture.heading !== '') await page.getByRole('heading', { name: picture.heading }).first().evaluate((one) => one.scrollIntoView({ block: 'start' }));
  await page.screenshot({ path: path.join(folder, `${picture.name}.png`) });
}
await browser.close();
