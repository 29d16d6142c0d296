import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const evaluateProgramTask: TaskOf<typeof import('./quickjs.ts').evaluate> = sandboxTask(
  'evaluateProgram',
  { gathers: true },
);
export const findTextProblemsTask: TaskOf<typeof import('./texts.ts').problemsOfTexts> =
  sandboxTask('findTextProblems');
export const readTextsTask: TaskOf<typeof import('./texts.ts').readTexts> = sandboxTask('readTexts');
export const evaluateWithToolsTask: TaskOf<typeof import('./quickjs-tools.ts').evaluateToolProgram> =
  sandboxTask('evaluateWithTools');
