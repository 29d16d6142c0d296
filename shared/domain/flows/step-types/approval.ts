import * as z from 'zod';
import { formatDescription, webhookFormats } from '../../../adapters/messages/webhook-formats.ts';
import { commonConfig, JsonSchemaText } from '../steps/common-config.ts';
import { ServerUrl } from '../steps/http-config.ts';
import { defineStepType } from '../steps/step.ts';
import { isTemplated, Template } from '../steps/template-text.ts';

export const timeoutMinutes = z.int().min(1).max(43_200);
const Choice = z.string().trim().min(1).max(100);
export const defaultChoices = ['approve', 'reject'];

export const AssigneeAddress = z.email().max(320);
/** Checks a literal address now, and a rendered one when the step runs. */
const Assignee = Template.min(1)
  .max(320)
  .refine(
    (text) => isTemplated(text) || AssigneeAddress.safeParse(text).success,
    'Expected an email address',
  );

/** Types of JSON that have no members. */
const valueTypes = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'array', 'null']);

const Config = z
  .strictObject({
    question: Template.min(1).max(2_000).meta({ description: 'What is asked' }),
    details: Template.max(20_000).optional().meta({ description: 'What helps to decide, as plain text' }),
    assignees: z
      .strictObject({
        emails: z.array(Assignee).min(1).max(20).optional(),
        webhookUrl: ServerUrl.optional().meta({
          description:
            'Gets `{question, url, runId, stepId, itemKey, …}` as a POST, to pass the link on, for example to a chat',
        }),
        webhookFormat: z.enum(webhookFormats).optional().meta({ description: formatDescription }),
      })
      .optional()
      .meta({
        description:
          'Who gets a link to a page that takes one answer. Whoever may run flows can answer in the console and by the API',
      }),
    choices: z
      .array(Choice)
      .min(1)
      .max(10)
      .refine((all) => new Set(all).size === all.length, 'Give each choice once')
      .optional()
      .meta({ description: 'Default: approve, reject' }),
    form: JsonSchemaText.optional().meta({
      description: 'A JSON Schema (2020-12) of an object: values that the answer contains',
    }),
    timeoutMinutes: timeoutMinutes.optional().meta({ description: 'Default: 10,080, which are 7 days' }),
    remindAfterMinutes: timeoutMinutes.optional().meta({
      description: 'When whoever is asked is asked again, once. From then on the question is overdue',
    }),
    escalate: z
      .strictObject({ afterMinutes: timeoutMinutes, emails: z.array(Assignee).min(1).max(20) })
      .optional()
      .meta({ description: 'Who is asked too after that time' }),
    onTimeout: z.string().optional().meta({
      description: 'After that time: fail (default), or the choice that the run goes on with',
    }),
    ...commonConfig,
  })
  .superRefine(({ form: { type = 'object' } = {} }, { addIssue }) => {
    if ([type].flat().some((each) => !valueTypes.has(each))) return;
    const message = 'Expected a schema of an object: its properties are the fields of the form';
    addIssue({ code: 'custom', params: { code: 'INVALID_VALUE' }, path: ['form'], message });
  })
  .superRefine(({ choices = defaultChoices, onTimeout = 'fail' }, { addIssue }) => {
    if (onTimeout === 'fail' || choices.includes(onTimeout)) return;
    const message = `Expected fail, or one of the choices: ${choices.join(', ')}`;
    addIssue({ code: 'custom', params: { code: 'INVALID_VALUE' }, path: ['onTimeout'], message });
  });

export const approvalStep = defineStepType({
  type: 'approval',
  summary: 'Ask a person, and wait for the answer',
  config: Config,
  output: z.object({
    choice: z.string().nullable(),
    values: z.unknown(),
    comment: z.string().nullable(),
    answeredBy: z.string().nullable().meta({
      description: 'The user, the key, or the address to which the link was sent; null after the time',
    }),
    answeredAt: z.string(),
  }),
  effects: true,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
