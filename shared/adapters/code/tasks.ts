import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const evaluateProgram: TaskOf<typeof import('./quickjs.ts').evaluate> = sandboxTask(
  'evaluateProgram',
  { gathers: true },
);
export const findTextProblems: TaskOf<typeof import('./texts.ts').problemsOfTexts> =
  sandboxTask('findTextProblems');
export const readTexts: TaskOf<typeof import('./texts.ts').readTexts> = sandboxTask('readTexts');
export const evaluateWithTools: TaskOf<typeof import('./quickjs-tools.ts').evaluateWithTools> =
  sandboxTask('evaluateWithTools');
