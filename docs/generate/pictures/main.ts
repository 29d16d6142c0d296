import type { Page } from 'playwright-core';
import { goTo, inConsole, rootPath } from './console-page.ts';
import { fillSampleWorkspace } from './sample-workspace.ts';
import { type Scene, type SceneWorkspace, scenes } from './scenes.ts';

/** `npm run pictures`: takes the pictures of the console in docs/images, of a workspace with sample data. */
await inConsole(async ({ page, call }) => {
  const workspace = await fillSampleWorkspace(call);
  await page.reload();
  await page.locator('.shell').waitFor();
  for (const scene of scenes) await takePicture(page, scene, workspace);
});

async function takePicture(page: Page, { name, screen, scheme, act }: Scene, workspace: SceneWorkspace) {
  await page.emulateMedia({ colorScheme: scheme ?? 'light' });
  await page.keyboard.press('Escape');
  await goTo(page, screen(workspace));
  await page.waitForTimeout(1_200);
  await act?.(page);
  await page.waitForTimeout(800);
  await page.screenshot({ path: `${rootPath}docs/images/${name}.png` });
  process.stdout.write(`Wrote docs/images/${name}.png\n`);
}
