import type { ReactNode } from 'react';
import { plural } from './language.ts';
import { sentence } from './sentence.ts';

export const formTexts = {
  someoneElseChangedThis: 'Someone else changed this',
  anotherVersionSaved: (time: ReactNode) =>
    sentence`Someone else saved another version ${time}, after you began. Yours is not saved yet.`,
  discardYourChanges: 'Discard your changes?',
  yourChangesAreLost: 'Your changes are lost. This cannot be undone.',
  discardAndReload: 'Discard and reload',
  discardMine: 'Discard mine',
  overwrite: 'Overwrite',

  notSet: 'Not set',
  fromTo: (minimum: number, maximum: number) => `${minimum} to ${maximum}`,
  example: (example: string) => `Example: ${example}`,
  defaultValue: (value: string | number) => `Default: ${value}`,
  notJsonSoText: (problem: string) => `Not JSON, so it is used as text: ${problem}`,
  removeItem: (list: string, place: number) => `Remove ${list} ${place}`,
  settingGroups: {
    model: 'Model',
    memory: 'Memory',
    output: 'Output',
    limits: 'Limits',
    errors: 'Errors',
    others: 'Other settings',
  },
  andMore: (more: number) => plural(more, { one: '# more', other: '# more' }),
  on: 'on',
  off: 'off',
  details: 'Details',
  list: 'A list',
  text: 'Text',
  yesOrNo: 'Yes or no',
};
