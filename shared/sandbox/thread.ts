import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

// What a thread does for the sandbox, by name. Input and output are cloned on their way, so both are plain data.
// Libraries are loaded with the first task that needs them.

yieldToServingThread();
// What libraries print of a tenant's document is nobody's to read.
for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => {};

/** Linux gives each thread a priority of its own: the one that answers requests comes before these. */
function yieldToServingThread(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 5);
  } catch {
    // Without it everything works, only less smoothly.
  }
}

type Quickjs = typeof import('./quickjs.ts');
export const evaluate: Quickjs['evaluate'] = async (input) => (await import('./quickjs.ts')).evaluate(input);

type Texts = typeof import('./texts.ts');
export const problemsOfTexts = async (input: Parameters<Texts['problemsOfTexts']>[0]) =>
  (await import('./texts.ts')).problemsOfTexts(input);
export const readTexts = async (input: Parameters<Texts['readTexts']>[0]) =>
  (await import('./texts.ts')).readTexts(input);

type LiquidModule = typeof import('./liquid.ts');
export const fillTemplates = async (input: Parameters<LiquidModule['fillTemplates']>[0]) =>
  (await import('./liquid.ts')).fillTemplates(input);

export const readPage = async ({ html, address }: { html: string; address: string }) =>
  (await import('../web/page.ts')).readPage(html, address);
export const xmlProblem = async (text: string) => (await import('../web/xml.ts')).xmlProblem(text);
type RobotsModule = typeof import('../web/robots-rules.ts');
export const readRobots = async (input: Parameters<RobotsModule['readRobots']>[0]) =>
  (await import('../web/robots-rules.ts')).readRobots(input);
type PackModule = typeof import('../web/pack-repository.ts');
export const packRepository = async (input: Parameters<PackModule['packRepository']>[0]) =>
  (await import('../web/pack-repository.ts')).packRepository(input);
type DocumentModule = typeof import('../pdf/document.ts');
export const makePdf = async (source: Parameters<DocumentModule['makePdf']>[0]) =>
  (await import('../pdf/document.ts')).makePdf(source);
