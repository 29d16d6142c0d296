import { test as anyTest, expect } from 'vitest';
import { noBrowser, openBrowser, watchedPage } from '../../support/browser.ts';
import { stack } from '../../support/stack.ts';

const test = anyTest.skipIf(noBrowser !== undefined);

test('the reference lists the operations, loads nothing from elsewhere, and its policy blocks none of its own parts', async () => {
  const browser = await openBrowser();
  try {
    const { page, requested, complaints } = await watchedPage(browser);
    await page.goto(`${stack().url}/docs`);
    await page.locator('#operations-tag-flow-versions').click();
    await page.locator('[data-path="/v1/flow-versions/{flowId}/published"]').waitFor();
    const asked = requested.filter((address) => !address.startsWith('data:'));
    expect(asked.map((address) => new URL(address).pathname).toSorted()).toEqual([
      ...['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui.js', '/openapi.json'],
    ]);
    for (const address of asked) expect(new URL(address).origin).toBe(stack().url);
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});
