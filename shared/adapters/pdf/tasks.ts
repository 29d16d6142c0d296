import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const makePdfTask: TaskOf<typeof import('./document.ts').makePdf> = sandboxTask('makePdf', {
  alone: true,
});
