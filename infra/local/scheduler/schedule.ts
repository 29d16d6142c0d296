import * as z from 'zod';
import { toTimeZoneName } from '../../../shared/core/time.ts';
import { parseExpression } from './expressions.ts';

const queueArn = z.string().regex(/^arn:aws:sqs:/, 'Only SQS queues here');

const Expression = z
  .string()
  .max(256)
  .superRefine((text, context) => {
    try {
      parseExpression(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });

/** One schedule, with the members that the service uses and the limits of AWS. */
export const AwsSchedule = z.object({
  Name: z.string().regex(/^[\w.-]{1,64}$/),
  GroupName: z.string().default('default'),
  ScheduleExpression: Expression,
  ScheduleExpressionTimezone: z
    .string()
    .min(1)
    .max(50)
    .refine((zone) => toTimeZoneName(zone) !== undefined, 'Unknown time zone')
    .default('UTC'),
  FlexibleTimeWindow: z.object({ Mode: z.literal('OFF') }),
  ActionAfterCompletion: z.enum(['NONE', 'DELETE']).default('NONE'),
  Target: z.object({
    Arn: queueArn,
    RoleArn: z.string().min(1),
    Input: z.string().max(262_144).default('{}'),
    RetryPolicy: z
      .object({
        MaximumEventAgeInSeconds: z.int().min(60).max(86_400).default(86_400),
        MaximumRetryAttempts: z.int().min(0).max(185).default(185),
      })
      .prefault({}),
    DeadLetterConfig: z.object({ Arn: queueArn }).optional(),
  }),
});
export type AwsSchedule = z.infer<typeof AwsSchedule>;
export type ScheduleKey = Pick<AwsSchedule, 'GroupName' | 'Name'>;

export const scheduleKey = ({ GroupName, Name }: ScheduleKey) => `${GroupName}/${Name}`;
