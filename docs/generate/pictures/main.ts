import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { messageText, startModelStandIn } from '../../../examples/model-stand-in.ts';
import { createClient } from '../../../functions/client.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { browserFlags, findBrowser } from '../../../infra/operations/doctor/browsers.ts';
import { fillWorkspace, modelAnswer } from './sample-workspace.ts';
import { type Scene, scenes, type Workspace } from './scenes.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const size = { width: 1_280, height: 800 };

/** `npm run pictures`: takes the pictures of the console in docs/images, of a workspace with sample data. */
const models = await startModelStandIn({
  delayMs: 180,
  answer: ({ messages, tools }) => {
    const last = messages.at(-1);
    const text = last ? messageText(last) : '';
    if (!tools?.length || last?.role === 'tool') return modelAnswer(text);
    return {
      toolCalls: [{ name: tools[0]?.function.name ?? '', arguments: { expression: '129.90 * 0.8' } }],
    };
  },
});
const stack = spawn(process.execPath, ['infra/local/main.ts', '--json', '--ephemeral'], {
  cwd: root,
  env: {
    ...process.env,
    PORT: '0',
    GENERIC_OPENAI_BASE_URL: models.url,
    LOCAL_MODEL: 'off',
    LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await takePictures(await factsOf());
} finally {
  stack.kill();
  await models.close();
}

async function factsOf(): Promise<StackFacts> {
  for await (const line of createInterface(stack.stdout)) return JSON.parse(line) as StackFacts;
  throw new Error('The stack did not start');
}

async function takePictures({ url, sessionToken }: StackFacts) {
  const workspace = await fillWorkspace(createClient({ baseUrl: url, token: sessionToken }).call);
  const executablePath = findBrowser(process.env);
  if (!executablePath) throw new Error('There is no Chromium: install it, or set CHROMIUM to its path');
  const browser = await chromium.launch({
    executablePath,
    args: browserFlags,
  });
  const page = await browser.newPage({ viewport: size, reducedMotion: 'reduce' });
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('User').fill('local');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('.shell').waitFor();
  for (const scene of scenes) await takePicture(page, scene, workspace);
  await browser.close();
}

async function takePicture(page: Page, { name, screen, scheme, act }: Scene, workspace: Workspace) {
  await page.emulateMedia({ colorScheme: scheme ?? 'light' });
  await page.keyboard.press('Escape');
  await page.evaluate((fragment) => {
    location.hash = fragment;
  }, screen(workspace));
  await page.waitForTimeout(1_200);
  await act?.(page);
  await page.waitForTimeout(800);
  await page.screenshot({ path: `${root}docs/images/${name}.png` });
  process.stdout.write(`Wrote docs/images/${name}.png\n`);
}
