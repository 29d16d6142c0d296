import { listed, plural } from './language.ts';
import { sentence, type Wrap } from './sentence.ts';

export const templateTexts = {
  templates: 'Templates',
  aboutTemplates: 'One click creates everything, with sample records to try it on. Change it as you like.',
  standInAnswers: (providerKeys: Wrap) =>
    sentence`Prompts are answered by a stand-in, which is not a language model. ${providerKeys('Connect a model')} to get real answers.`,
  needsModel: (providerKeys: Wrap) => sentence`Needs a model: ${providerKeys('connect one')}`,
  needsWebSearch: (providerKeys: Wrap) => sentence`Needs a web search: ${providerKeys('add a key')}`,
  inYourTimeZone: (schedule: string) => `${schedule}, in your time zone.`,

  whatItCreates: 'What it creates',
  flow: (name: string) => `The flow “${name}”, published:`,
  agent: (name: string, tools: readonly string[]) =>
    `The agent “${name}”, published, with the tools ${listed(tools)}`,
  productWithApi: (name: string) => `The product “${name}” with an API`,
  productWithSchedule: (name: string) => `The product “${name}” with a schedule`,
  sampleRecordsOfType: (records: number, type: string) =>
    plural(records, {
      one: `# sample record of the type ${type}`,
      other: `# sample records of the type ${type}`,
    }),

  useTemplate: 'Use template',
  useTemplateNamed: (name: string) => `Use template: ${name}`,
  progress: (what: string, done: number, all: number) => `${what} (${done} of ${all}) …`,
  sampleRecords: 'Sample records',
  created: (name: string) => `${name}: created`,
  undoing: 'Deleting what was created',
  deleteRest: (problem: string, rest: readonly string[]) =>
    `${problem}. Delete these yourself: ${rest.join(', ')}`,
  theRecordsOf: (type: string) => `the records of the type ${type}`,
  samplesRefused: 'The sample records could not be created',
  theFlow: (name: string) => `the flow ${name}`,
  theAgent: (name: string) => `the agent ${name}`,
  theProduct: (name: string) => `the product ${name}`,
  namesTaken: (name: string, others: number) =>
    `${name} and ${others} names like it are taken. Delete some of them first`,
};
