import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';

export const validateValueTask: TaskOf<typeof import('./validator.ts').validateValue> = sandboxTask(
  'validateValue',
  { gathers: true },
);
export const validateSchemaTask: TaskOf<typeof import('./validator.ts').validateSchema> =
  sandboxTask('validateSchema');
