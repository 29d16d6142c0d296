import type { apiDocument } from '../shared/platform/http/openapi.ts';
import type { endpoints } from './index.ts';

type GroupOf<E> = E extends { id: `${infer Group}.${string}` } ? Group : never;

/** What each group of endpoints is about: the tags of the API document. */
export const groups = {
  'api-keys': 'Keys with which programs call the API: their permissions, their values and their use.',
  'usage-limits': 'How much of its rate limits the credential has used.',
  flows: 'Flows of steps: define them, publish them, run them on records and read what each step did.',
  'flow-versions': 'The versions of a flow: its draft, and what was published.',
  records: 'The data that flows run on: upload it, filter it, change it and read what runs made of it.',
  dispatch: 'Run a flow at once, and follow it as it runs.',
  batches: 'Runs of a flow on many records: start one, follow it, cancel it and see what it cost.',
  secrets: 'Passwords and keys that steps name. Values go in, and never come out.',
  public: 'What needs no credential.',
  docs: 'This description of the API.',
} as const satisfies Record<GroupOf<(typeof endpoints)[number] | typeof apiDocument>, string>;
