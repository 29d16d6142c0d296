import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const fillTemplatesTask: TaskOf<typeof import('./liquid.ts').fillTemplates> = sandboxTask(
  'fillTemplates',
  {
    gathers: true,
  },
);
