import * as z from 'zod';
import { Warning } from '../../core/warnings.ts';
import { Attempt, attemptsDescription } from '../../domain/flows/steps/attempt.ts';
import { OffsetPagination } from '../../platform/data/lists/pages.ts';

const text = z.string().nullable();
const count = z.int().nullable();

const StepResultResponse = z
  .object({
    id: z.string(),
    userId: z.string(),
    organizationId: text,
    batchExecutionId: text,
    executionSessionId: text,
    flowId: text,
    flowVersionId: text,
    recordId: text,
    recordName: text,
    recordMetadata: z.unknown(),
    stepId: text,
    stepPath: text.meta({
      description:
        'The ids of the steps around it and its own, joined by `/`: `each[3]/ask` in the fourth item of a map, `again[0]/ask` in the first pass of a loop, `both/left/ask` in a branch',
    }),
    itemIndex: count.meta({ description: 'The item of the innermost map around it, from 0' }),
    stepType: text,
    stepName: z.string(),
    stepConfig: z.unknown(),
    order: count,
    status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']),
    startedAt: text,
    completedAt: text,
    createdAt: z.string(),
    durationMs: count,
    outputPreview: text.meta({ description: 'The first 1,000 characters of the output' }),
    inputVariables: z
      .unknown()
      .meta({ description: 'The variables set by earlier steps of the run; null beyond 1 MB' }),
    resolvedPrompt: text.meta({
      description: 'Null, like stepConfig, if the row would not fit the response',
    }),
    modelUsed: text,
    promptTokens: count,
    completionTokens: count,
    totalTokens: count,
    estimatedCost: text.meta({ description: 'USD as decimal text; null if the price is unknown' }),
    reusedFrom: z
      .object({
        resultId: z.string().meta({ description: 'The step result' }),
        runId: z.string().meta({ description: 'Its batch or execution' }),
      })
      .nullable()
      .meta({ description: 'What the result was taken from, if the step did not run' }),
    savedCost: text.meta({
      description:
        'What it cost when it was made: USD as decimal text; null if it ran, or if the price is unknown',
    }),
    errorMessage: text,
    errorCode: text.meta({
      description:
        '`BUDGET_EXCEEDED` if a budget did not pay for a call of a model, `RATE_LIMITED` if the limits of a model config or its key left it no time, `OUTCOME_UNKNOWN` if what the step did may have taken effect; null for other failures',
    }),
    retryCount: count,
    attempts: z.array(Attempt).nullable().meta({ description: attemptsDescription }),
    warnings: z
      .array(Warning)
      .meta({ description: 'What went otherwise than asked, and did not fail the step' }),
  })
  .meta({ id: 'StepResult' });

export const StepResultPage = z.object({ data: z.array(StepResultResponse), pagination: OffsetPagination });
