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

/** A task as it is sent: `begun` is set when its library is loaded, since its time counts from then. */
export interface Sent<Input> {
  input: Input;
  begun: Int32Array;
}

function task<Input, Output>(load: () => Promise<(input: Input) => Output>) {
  let loaded: Promise<(input: Input) => Output> | undefined;
  return async ({ input, begun }: Sent<Input>): Promise<Awaited<Output>> => {
    loaded ??= load();
    const work = await loaded;
    Atomics.store(begun, 0, 1);
    return await work(input);
  };
}

export const evaluate = task(async () => (await import('../code/quickjs.ts')).evaluate);
export const problemsOfTexts = task(async () => (await import('../code/texts.ts')).problemsOfTexts);
export const readTexts = task(async () => (await import('../code/texts.ts')).readTexts);
export const fillTemplates = task(async () => (await import('../templates/liquid.ts')).fillTemplates);
export const readPage = task(async () => {
  const { readPage } = await import('../web/page.ts');
  return ({ html, address }: { html: string; address: string }) => readPage(html, address);
});
export const xmlProblem = task(async () => (await import('../web/xml.ts')).xmlProblem);
export const readRobots = task(async () => (await import('../web/robots-rules.ts')).readRobots);
export const packRepository = task(async () => (await import('../web/pack-repository.ts')).packRepository);
export const makePdf = task(async () => (await import('../pdf/document.ts')).makePdf);
