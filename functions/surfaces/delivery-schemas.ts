import * as z from 'zod';
import { attemptsKept, deliveryStatuses } from '../../shared/domain/deliveries/delivery.ts';
import { webhookEvents } from '../../shared/domain/surfaces/surface/webhook-events.ts';

const Attempt = z.object({
  at: z.string(),
  statusCode: z.int().nullable().meta({ description: 'Null without a response' }),
  error: z.string().nullable().meta({ description: 'Null if the receiver took it' }),
  durationMs: z.int(),
});

export const DeliveryResponse = z
  .object({
    id: z.string().meta({ description: 'The same as the header `webhook-id` of every attempt' }),
    executionId: z.string(),
    type: z.enum(webhookEvents),
    status: z.enum(deliveryStatuses),
    attempts: z.array(Attempt).meta({ description: `Oldest first; the latest ${attemptsKept}` }),
    nextAttemptAt: z.string().nullable().meta({ description: 'Null unless it is pending' }),
    createdAt: z.string(),
  })
  .meta({
    id: 'WebhookDelivery',
    examples: [
      {
        id: 'delivery_01k9m4v7d3x8qz5w2r6t0y1hbn',
        executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        type: 'execution.completed',
        status: 'pending',
        attempts: [
          {
            at: '2026-11-22T17:55:04.300Z',
            statusCode: 503,
            error: 'The receiver answered 503',
            durationMs: 84,
          },
        ],
        nextAttemptAt: '2026-11-22T17:55:34.400Z',
        createdAt: '2026-11-22T17:55:04.120Z',
      },
    ],
  });
