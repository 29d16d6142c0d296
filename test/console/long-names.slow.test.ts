import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, expect } from 'vitest';
import type { Screens } from '../../console/src/routing/screens.ts';
import { noBrowser } from '../support/console/browser.ts';
import { expectGoodScreen, goTo, openConsole, browserTest as test } from '../support/console/console.ts';
import { tenantWithLongNames } from '../support/console/long-names.ts';

let world: Awaited<ReturnType<typeof tenantWithLongNames>>;
beforeAll(async () => {
  if (!noBrowser) world = await tenantWithLongNames();
});

/** Every screen that the console has: `/flows/$flowId`. */
const modules: Record<string, Screens>[] = await Promise.all(
  globSync('console/src/screens/*/screens.ts').map((path) => import(resolve(path))),
);
const screens = modules.flatMap((module) => Object.values(module).flatMap(Object.keys));
const areaOf = (screen: string) => screen.split('/')[1] || 'home';

/** A screen with each of the ids that its address takes. */
function addressesOf(screen: string): string[] {
  const [param] = /\$\w+/.exec(screen) ?? [];
  if (!param) return [screen];
  const ids = [world.ids[param.slice(1)] ?? []].flat();
  expect(ids, `There is nothing for ${screen}`).not.toEqual([]);
  return ids.flatMap((id) => addressesOf(screen.replace(param, id)));
}

for (const area of new Set(screens.map(areaOf)))
  test(`the longest names fit a phone on every screen: ${area}`, async () => {
    const viewport = { width: 390, height: 800 };
    const { page, complaints } = await openConsole({ tenant: world.tenant, viewport });
    for (const address of screens.filter((screen) => areaOf(screen) === area).flatMap(addressesOf)) {
      await goTo(page, '/nowhere');
      const nowhere = page.getByRole('heading', { name: 'Page not found' });
      await nowhere.waitFor();
      await goTo(page, address);
      await nowhere.waitFor({ state: 'detached' });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText('Loading …').count()).toBe(0);
      await expectGoodScreen(page).catch((error) => {
        throw new Error(address, { cause: error });
      });
    }
    expect(complaints).toEqual([]);
  });
