export const webhookEvents = ['execution.completed', 'execution.failed'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
