import type { Page } from 'playwright-core';

export interface SceneWorkspace {
  flow: string;
  agent: string;
}

export interface Scene {
  /** Of the file in docs/images. */
  name: string;
  screen: (workspace: SceneWorkspace) => string;
  scheme?: 'dark';
  /** What one does before the picture is taken. */
  act?: (page: Page) => Promise<unknown>;
}

/** The pictures of the console, in the order of a tour through it. */
export const scenes: readonly Scene[] = [
  { name: 'home', screen: () => '/' },
  { name: 'templates', screen: () => '/templates' },
  {
    name: 'command-palette',
    screen: () => '/flows',
    scheme: 'dark',
    async act(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Search or run a command' }).fill('a');
      await page.getByRole('menuitem', { name: 'Support agent' }).waitFor();
    },
  },
  {
    name: 'flow',
    screen: ({ flow }) => `/flows/${flow}`,
    async act(page) {
      await page.getByRole('radio', { name: 'Graph' }).check();
      await page.getByRole('treeitem', { name: /^Describe it/ }).click();
      await page.getByRole('treeitem').getByText('Completed').first().waitFor();
    },
  },
  {
    name: 'runs',
    screen: () => '/runs',
    scheme: 'dark',
    act: (page) => page.getByRole('row').nth(3).click(),
  },
  {
    name: 'run',
    screen: () => '/runs?kind=agent',
    async act(page) {
      await page.getByRole('link', { name: 'Support agent' }).first().click();
      await page.getByRole('treegrid').waitFor();
      await page.getByRole('row', { name: /calculator/ }).click();
    },
  },
  {
    name: 'batch',
    screen: () => '/runs?kind=batch',
    async act(page) {
      await page.getByRole('link', { name: 'Describe airports' }).first().click();
      await page.getByRole('link', { name: 'Open batch' }).click();
      await page.getByRole('heading', { name: 'Failures' }).waitFor();
    },
  },
  {
    name: 'try',
    screen: ({ flow }) => `/flows/${flow}/try`,
    async act(page) {
      await page.getByLabel('Test with').selectOption('Custom record');
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByText('The run succeeded').waitFor();
    },
  },
  {
    name: 'chat',
    screen: ({ agent }) => `/agents/${agent}/chat`,
    async act(page) {
      await page.getByLabel('Message').fill('What is the refund of order 4007?');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('arrives tomorrow').waitFor();
    },
  },
];
