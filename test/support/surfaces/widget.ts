import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { Page } from 'playwright-core';
import { watchedPage } from '../console/browser.ts';
import { loopback } from '../servers/loopback.ts';

const dist = dirname(createRequire(import.meta.url).resolve('@runtypelabs/persona'));

/** What the page gives to the widget, which stores its session itself. The page stores it for requests of its own. */
export interface WidgetConfig {
  apiUrl: string;
  clientToken: string;
  [name: string]: unknown;
}

const pageFor = (config: WidgetConfig, members: string, before: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/widget.css"><style>html, body, #chat { height: 100%; margin: 0 }</style></head>
<body><div id="chat"></div><script src="/index.global.js"></script><script>
  ${before}
  AgentWidget.initAgentWidget({ target: '#chat', windowKey: 'chat', config: {
    ...AgentWidget.DEFAULT_WIDGET_CONFIG,
    launcher: { enabled: false },
    onSessionInit: ({ sessionId }) => localStorage.setItem('session', sessionId),
    ...${JSON.stringify(config)},
    ...(${members}),
  } });
</script></body></html>`;

/** A site of another origin than the API, with the widget. Its page has the config that was set last. */
export async function widgetSite() {
  const state = { html: '' };
  const { url, host } = await loopback(async (request, response) => {
    const name = /^\/([\w.-]+\.(?:js|css))$/.exec(request.url ?? '')?.[1];
    response.setHeader(
      'content-type',
      name?.endsWith('.css') ? 'text/css' : name ? 'text/javascript' : 'text/html',
    );
    const body = name ? await readFile(`${dist}/${name}`).catch(() => undefined) : state.html;
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  /**
   * @param members An object expression: the members of the config that are functions.
   * @param before A script that runs before the widget starts.
   */
  const show = (config: WidgetConfig, members = '{}', before = '') => {
    state.html = pageFor(config, members, before);
  };
  return { url, host, show };
}

/** Opens the page of a site, and waits until one can write in it. */
export async function openWidget(url: string) {
  const watched = await watchedPage({ viewport: { width: 480, height: 900 } });
  await watched.page.goto(url);
  await composer(watched.page).waitFor();
  return watched;
}

const composer = (page: Page) => page.locator('[data-persona-composer-input]');

/** Waits for the end of an answer, until which the button says "Stop generating" and does that. */
export async function writeMessage(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.locator('[data-persona-composer-submit]:not([aria-label^="Stop"])').click();
}

export const answersIn = (page: Page) => page.locator('[data-persona-theme-zone="assistant-message"]');
export const questionsIn = (page: Page) => page.locator('[data-persona-theme-zone="user-message"]');

/** For people to look at, if a folder for it is set. */
export async function shoot(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
}
