import type { Locator, Page } from 'playwright-core';
import { goTo } from '../console-page.ts';
import type { TourWorkspace } from './tour-workspace.ts';

/** One picture of the tour. */
export interface TourView {
  /** What one sees. */
  caption: string;
  /** What one does to see it. */
  act?: (page: Page, workspace: TourWorkspace) => Promise<unknown>;
  /** What one points at, to press it next. */
  pointer?: (page: Page) => Locator;
  seconds: number;
}

/** A part of the tour, and what its pictures show. */
export interface TourStop {
  title: string;
  text: string;
  views: readonly TourView[];
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const step = (page: Page, name: string) => page.getByRole('treeitem', { name: new RegExp(`^${name}`) });

/** A walk through the console: 30 seconds. */
export const stops: readonly TourStop[] = [
  {
    title: 'Home',
    text: 'Runs, failures, costs and durations of 24 hours, 7 or 30 days; what runs now, what waits for somebody, and failures by their reasons.',
    views: [{ caption: 'Home: what ran, what failed, and what it cost', seconds: 2.4 }],
  },
  {
    title: 'A template',
    text: 'One click creates a flow, an agent or a product with sample records to try it on. Here: a flow that classifies 50 support tickets.',
    views: [
      {
        caption: 'Begin with a template: one click creates a flow and 50 sample records',
        act: (page) => goTo(page, '/templates'),
        pointer: (page) => button(page, 'Use template: Classify records'),
        seconds: 2.4,
      },
    ],
  },
  {
    title: 'The graph of a flow',
    text: 'The steps as a list or a graph, with what each did in the last run. Beside a step is its form, and its data on a sample record. Pointing at a variable, or at a step, marks both ends.',
    views: [
      {
        caption: 'The flow as a graph, and the form of each step',
        async act(page) {
          await button(page, 'Use template: Classify records').click();
          await link(page, 'Steps').click();
          await page.getByRole('radio', { name: 'Graph' }).check();
          await step(page, 'Store the result').click();
          await page.mouse.move(0, 0);
        },
        seconds: 2,
      },
      {
        caption: 'Pointing at a variable marks where it comes from',
        act: (page) => page.getByRole('button', { name: /^label, set by/ }).hover(),
        pointer: (page) => page.getByRole('button', { name: /^label, set by/ }),
        seconds: 2.2,
      },
    ],
  },
  {
    title: 'A run on records',
    text: 'A published flow runs on all records of a type, or on those of a filter, as a durable batch. Its page counts what is done, what failed and what it cost, and shows each step of each record.',
    views: [
      {
        caption: 'Run it on all records of a type',
        act: async (page) => {
          await link(page, 'Run on records').click();
          await button(page, 'Run on 50 records').waitFor();
          // Slowly enough to be seen.
          await page.getByLabel('Concurrency').fill('3');
        },
        pointer: (page) => button(page, 'Run on 50 records'),
        seconds: 1.8,
      },
      {
        caption: 'Follow the run while it works',
        act: async (page) => {
          await button(page, 'Run on 50 records').click();
          await page.getByText(/^[1-4]\d of 50$/).waitFor();
        },
        seconds: 1.4,
      },
      {
        caption: 'See what each step made of each record, and what it cost',
        act: (page) => page.getByText('50 of 50', { exact: true }).waitFor(),
        seconds: 2,
      },
    ],
  },
  {
    title: 'The waterfall of a run',
    text: 'Everything that ran is in one list. The page of a run shows its trace: each turn, model call and tool call with its duration, prompts, tokens and cost.',
    views: [
      {
        caption: 'Everything that ran is in one list, with filters',
        act: async (page) => {
          await goTo(page, '/runs');
          await page
            .getByRole('row', { name: /Support agent/ })
            .first()
            .waitFor();
        },
        pointer: (page) => page.getByRole('link', { name: 'Support agent' }).first(),
        seconds: 2,
      },
      {
        caption: 'What happened in a run, as a waterfall',
        act: async (page) => {
          await page.getByRole('link', { name: 'Support agent' }).first().click();
          await page.getByRole('treegrid').waitFor();
        },
        pointer: (page) => page.getByRole('row', { name: /calculator/ }),
        seconds: 1.8,
      },
      {
        caption: 'Each call has its input and output, tokens and cost',
        act: (page) => page.getByRole('row', { name: /calculator/ }).click(),
        seconds: 2,
      },
    ],
  },
  {
    title: 'The playground of an agent',
    text: 'The configuration of an agent beside a conversation. Each answer shows the tools that it called, its duration, tokens and cost, and links to its run.',
    views: [
      {
        caption: 'Tune an agent beside a conversation with it',
        act: async (page, { agent }) => {
          await goTo(page, `/agents/${agent}/chat`);
          await page.getByLabel('Message').fill('What is the refund of order 4007?');
        },
        pointer: (page) => button(page, 'Send'),
        seconds: 2,
      },
      {
        caption: 'Its answer, with the tools that it called',
        act: async (page) => {
          await button(page, 'Send').click();
          await page.getByText('arrives tomorrow').waitFor();
        },
        seconds: 2.2,
      },
    ],
  },
  {
    title: 'The snippets of a product',
    text: 'A product offers flows and agents by an API, MCP, A2A, a chat, webhooks or a schedule. Its screen has programs in curl, TypeScript and Python that run as they stand, and sends test requests.',
    views: [
      {
        caption: 'Offer it as an API, an MCP server, an A2A agent or a chat',
        act: async (page, { surface }) => {
          await goTo(page, surface);
          await page.getByRole('radio', { name: 'curl' }).check();
          await page.getByLabel('Parameters').fill('{ "message": "Where is order 4007?" }');
          await page.getByRole('heading', { name: 'Call it' }).scrollIntoViewIfNeeded();
          await page.getByRole('heading', { name: 'Call it' }).evaluate((each) => each.scrollIntoView());
        },
        pointer: (page) => button(page, 'Send test request'),
        seconds: 2,
      },
      {
        caption: 'Programs that run as they stand, and test requests',
        act: async (page) => {
          await button(page, 'Send test request').click();
          await page
            .getByRole('region', { name: 'Response' })
            .getByText('success', { exact: true })
            .waitFor();
        },
        seconds: 3.8,
      },
    ],
  },
];
