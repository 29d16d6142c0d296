import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import {
  evaluateProgramTask,
  evaluateWithToolsTask,
  findTextProblemsTask,
  readTextsTask,
} from '../code/tasks.ts';
import { queryJsonTask, readYamlTask, writeYamlTask } from '../data-formats/tasks.ts';
import { validateSchemaTask, validateValueTask } from '../json-schema/tasks.ts';
import { makePdfTask } from '../pdf/tasks.ts';
import type { SandboxReply, SandboxRequest, TaskResult, ThreadRequest } from '../sandbox/pool.ts';
import type { AskCaller, SandboxTask } from '../sandbox/sandbox.ts';
import { fillTemplatesTask } from '../templates/tasks.ts';
import { packRepositoryTask, readPageTask, readRobotsTask, xmlProblemTask } from '../web/tasks.ts';

// Maps sandbox tasks to their functions. Input and output are cloned, so both are plain data. Libraries are loaded with
// the first task that needs them.

yieldToServingThread();
// Libraries must not log parts of a tenant's document.
for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => {};

/** Linux has a priority per thread: the thread that serves requests comes before these. */
function yieldToServingThread(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), 5);
  } catch {
    // Optional: lowering the priority only improves latency.
  }
}

const loaders = new Map<string, () => Promise<(input: never, ask: AskCaller) => unknown>>();

/** Registers the function of a task. Loads its library with the first task. */
function does<Input, Output>(
  { name }: SandboxTask<Input, Output>,
  load: () => Promise<(input: Input, ask: AskCaller) => Output | Promise<Output>>,
): void {
  loaders.set(name, loadOnce(load));
}

does(evaluateProgramTask, async () => (await import('../code/quickjs.ts')).evaluate);
does(evaluateWithToolsTask, async () => (await import('../code/quickjs-tools.ts')).evaluateToolProgram);
does(findTextProblemsTask, async () => (await import('../code/texts.ts')).problemsOfTexts);
does(readTextsTask, async () => (await import('../code/texts.ts')).readTexts);
does(fillTemplatesTask, async () => (await import('../templates/liquid.ts')).fillTemplates);
does(readPageTask, async () => {
  const { readPage } = await import('../web/page.ts');
  return ({ html, address }) => readPage(html, address);
});
does(xmlProblemTask, async () => (await import('../web/xml.ts')).xmlProblem);
does(readRobotsTask, async () => (await import('../web/robots-rules.ts')).readRobots);
does(packRepositoryTask, async () => (await import('../web/pack-repository.ts')).packRepository);
does(validateValueTask, async () => (await import('../json-schema/validator.ts')).validateValue);
does(validateSchemaTask, async () => (await import('../json-schema/validator.ts')).validateSchema);
does(queryJsonTask, async () => (await import('../data-formats/json-path.ts')).queryJson);
does(readYamlTask, async () => (await import('../data-formats/yaml.ts')).readYaml);
does(writeYamlTask, async () => (await import('../data-formats/yaml.ts')).writeYaml);
does(makePdfTask, async () => (await import('../pdf/document.ts')).makePdf);

/** After this time the remaining tasks go back to the queue, so that they need not wait for a slow one. */
const sharedMsMax = 5;

/** Runs tasks one after another. @returns their results in order, without those that it did not start. */
export async function work({ name, inputs, current, questions }: ThreadRequest): Promise<TaskResult[]> {
  const load = loaders.get(name);
  if (!load) throw new Error(`Unknown sandbox task ${name}`);
  const task = await load();
  const ask = questions ? askOn(questions) : noQuestions;
  const done: TaskResult[] = [];
  const began = performance.now();
  for (const [index, input] of inputs.entries()) {
    if (index > 0 && performance.now() - began > sharedMsMax) break;
    Atomics.store(current, 0, index + 1);
    done.push(await runTask(task, input, ask));
  }
  questions?.close();
  return done;
}

const noQuestions: AskCaller = () => Promise.reject(new Error('This task has nobody to ask'));

async function runTask(
  task: (input: never, ask: AskCaller) => unknown,
  input: unknown,
  ask: AskCaller,
): Promise<TaskResult> {
  try {
    return { value: await task(input as never, ask) };
  } catch (error) {
    return { error };
  }
}

/** Sends questions to the serving thread. It answers them in any order. */
function askOn(port: MessagePort): AskCaller {
  const waiting = new Map<number, (value: unknown) => void>();
  let count = 0;
  port.on('message', ({ id, value }: SandboxReply) => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  });
  return (request) =>
    new Promise((resolve) => {
      const question: SandboxRequest = { id: count++, request };
      waiting.set(question.id, resolve);
      port.postMessage(question);
    });
}
