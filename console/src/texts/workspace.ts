import type { ReactNode } from 'react';
import { countText, listed, plural } from './language.ts';
import { sentence } from './sentence.ts';
import { sharedTexts } from './shared.ts';

export const workspaceTexts = {
  aboutWorkspace:
    'Everything you built is one document: review it as code, keep it in git, and apply it to another tenant.',

  export: 'Export',
  aboutExport:
    'Flows, agents, tools, models, products and budgets, as far as you may read them. No values of secrets, no keys, no runs.',
  format: 'Format',
  formats: { yaml: 'YAML', json: 'JSON' },
  download: 'Download',
  copyDocument: 'Copy document',
  documentCopied: 'Document copied',

  import: 'Import',
  dropDocument: 'Drop a document here',
  dropOrChooseDocument: 'Drop a YAML or JSON document here, choose a file, or paste its text below.',
  chooseFile: 'Choose file',
  document: 'Document',
  documentHelp: 'YAML or JSON, as the export writes it. Kinds that it does not have stay as they are.',
  tooLarge: 'The file is larger than 5 MB, the most that a document may have.',
  options: 'Options',
  prune: 'Delete what the document does not name',
  pruneHelp:
    'Of the kinds that it has, and surfaces and schedules of its products. Without it, they stay as they are.',
  publish: 'Publish flows and agents',
  publishHelp: 'Those of the document whose draft is not published. Without it, changes stay drafts.',
  plan: 'Plan',
  planning: 'Comparing the document with the workspace',
  planAgain: 'Plan again',
  aboutPlan: 'A plan shows what would change. It changes nothing.',

  thePlan: 'What would change',
  nothingChanges: 'Nothing would change: the workspace is what the document says.',
  unchanged: (resources: number) => plural(resources, { one: '# unchanged', other: '# unchanged' }),
  counts: {
    create: (n: number) => `${countText(n)} to create`,
    update: (n: number) => `${countText(n)} to update`,
    publish: (n: number) => `${countText(n)} to publish`,
    delete: (n: number) => `${countText(n)} to delete`,
  },
  actions: { create: 'Create', update: 'Update', publish: 'Publish', delete: 'Delete' },
  done: { create: 'Created', update: 'Updated', publish: 'Published', delete: 'Deleted' },
  kinds: {
    modelConfigs: sharedTexts.models,
    tools: sharedTexts.tools,
    flows: sharedTexts.flows,
    agents: sharedTexts.agents,
    products: sharedTexts.products,
    budgets: sharedTexts.budgets,
  },
  named: {
    modelConfigs: (name: string) => `model “${name}”`,
    tools: (name: string) => `tool “${name}”`,
    flows: (name: string) => `flow “${name}”`,
    agents: (name: string) => `agent “${name}”`,
    products: (name: string) => `product “${name}”`,
    budgets: (name: string) => `budget “${name}”`,
  },
  differences: (n: number) => plural(n, { one: '# difference', other: '# differences' }),
  publishesDraft: 'Its draft becomes the published version.',
  moreChanges: (n: number) => plural(n, { one: 'Show # more', other: 'Show # more' }),
  errors: (n: number) =>
    plural(n, {
      one: 'The document has # error, so nothing can be applied',
      other: 'The document has # errors, so nothing can be applied',
    }),
  errorAt: (place: ReactNode, message: string) => sentence`${place}: ${message}`,
  errorOf: (name: ReactNode, place: ReactNode, message: string) => sentence`${name}, ${place}: ${message}`,
  notes: 'Notes',
  storeSecrets: 'Store secrets',
  outOfDate: 'The document or an option has changed since this plan.',
  workspaceChanged: 'The workspace has changed since this plan, so nothing was applied.',
  partApplied: 'What was applied before stays. A new plan shows what remains.',

  apply: (changes: number) => plural(changes, { one: 'Apply # change', other: 'Apply # changes' }),
  applying: (changes: number) => plural(changes, { one: 'Applying # change', other: 'Applying # changes' }),
  applyQuestion: (deleted: number) =>
    plural(deleted, { one: 'Apply, and delete # resource?', other: 'Apply, and delete # resources?' }),
  confirmDelete: (deleted: number) =>
    plural(deleted, { one: 'Apply and delete #', other: 'Apply and delete #' }),
  deletes: (deleted: number) => plural(deleted, { one: 'Deletes # resource', other: 'Deletes # resources' }),
  deletesWhat: (names: readonly string[], more: number) =>
    listed(more > 0 ? [...names, `${countText(more)} more`] : names),
  cannotBeUndone: 'This cannot be undone.',

  applied: (changes: number) => plural(changes, { one: '# change applied', other: '# changes applied' }),
  madeSecrets: 'New secrets',
  aboutMadeSecrets:
    'The service made these to sign what webhooks receive. Store them now: nothing shows them again.',
  storedThem: 'I have stored them',
  secretsAreLost: 'The new secrets are not shown again.',
  importAnother: 'Import another document',
};
