// Takes the screenshots of README.md: `node screenshots.mjs FOLDER`, with the address of a demo in `base` and its account in
// `email` and `password`.
import path from 'node:path';
import process from 'node:process';
import { launch, signIn } from './browser.mjs';

const folder = process.argv[2];
const { base } = process.env;

// Each picture shows the top of a page.
const pictures = [
  { name: 'console-overview', address: '/', height: 900 },
  { name: 'console-model', address: '/models', height: 900 },
  { name: 'console-optimizer', address: '/optimizer', height: 820 },
  { name: 'console-experiment', address: '/experiments?experiment=facebook-scale-up', height: 820 },
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
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: path.join(folder, `${picture.name}.png`) });
}
await browser.close();
