import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import { ChatMessage } from '../../shared/protocols/chat/chat-message.ts';
import { toolMembers } from '../../shared/protocols/chat/page-tools.ts';
import { SessionId } from './schemas.ts';

const streamResponse = z
  .boolean()
  .default(true)
  .meta({ description: 'true: server-sent events. false: one JSON response' });

const exampleSession = 'cs_0Zq7sZ5kT1mJ8vB3nX6cL9wR2yH4gF0dS5aQ8uE1iO7pKx3m9Tb2';
const exampleExecution = 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn';

export const ResumeBody = z
  .object({
    sessionId: SessionId,
    executionId: resourceId('exec'),
    toolOutputs: z
      .record(z.string(), z.unknown())
      .refine((outputs) => Object.keys(outputs).length <= 100, 'At most 100 outputs')
      .default({})
      .meta({ description: 'The outputs, any JSON, by the id of the tool call (or the name of the tool)' }),
    messages: z.array(ChatMessage).max(100).optional().meta({
      description: 'Texts of the user that an agent gets after the outputs. Only with the last output',
    }),
    ...toolMembers,
    streamResponse,
  })
  .meta({
    id: 'ClientResume',
    examples: [
      {
        sessionId: exampleSession,
        executionId: exampleExecution,
        toolOutputs: { call_01k9m4v7d3x8qz5w2r6t0y1hbn: { celsius: 21 } },
      },
    ],
  });

export const ApproveBody = z
  .object({
    sessionId: SessionId,
    executionId: resourceId('exec'),
    approvalId: resourceId('appr'),
    decision: z.enum(['approved', 'denied']),
    reason: z
      .string()
      .max(2_000)
      .refine(wellFormed, wellFormedOnly)
      .optional()
      .meta({ description: 'The agent learns why a call was denied' }),
    streamResponse,
  })
  .meta({
    id: 'ClientApprove',
    examples: [
      {
        sessionId: exampleSession,
        executionId: exampleExecution,
        approvalId: 'appr_01k9m4v7d3x8qz5w2r6t0y1hbn',
        decision: 'approved',
      },
    ],
  });
