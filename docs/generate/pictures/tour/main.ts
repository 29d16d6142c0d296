import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { inConsole, rootPath } from '../console-page.ts';
import { type AnimationFrame, encodeAnimation } from './animation.ts';
import { openComposer, pictureSize, type Shot } from './composer.ts';
import { stops, type TourView } from './stops.ts';
import { fillForTour, type TourWorkspace } from './tour-workspace.ts';

const settlesMs = 900;
const file = 'docs/images/tour.webp';

/** `npm run tour`: walks through the console, and writes an animation of it. */
await inConsole(async ({ page, browser, call }) => {
  const workspace = await fillForTour(call);
  await page.reload();
  await page.locator('.shell').waitFor();
  const compose = await openComposer(browser);
  const frames: AnimationFrame[] = [];
  for (const view of stops.flatMap(({ views }) => views)) {
    const frame = await compose(await takeShot(page, view, workspace));
    if (frame) frames.push({ ...frame, ms: view.seconds * 1_000 });
    process.stdout.write(`${view.caption}: ${Math.round((frame?.webp.length ?? 0) / 1_024)} KiB\n`);
  }
  const animation = encodeAnimation(frames, pictureSize);
  writeFileSync(rootPath + file, animation);
  process.stdout.write(`Wrote ${file}, ${Math.round(animation.length / 1_024)} KiB\n`);
});

async function takeShot(page: Page, view: TourView, workspace: TourWorkspace): Promise<Shot> {
  await view.act?.(page, workspace);
  await page.waitForTimeout(settlesMs);
  const box = await view.pointer?.(page).boundingBox();
  const pointer = box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : undefined;
  return { png: await page.screenshot(), caption: view.caption, pointer };
}
