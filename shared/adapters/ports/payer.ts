/** On whose account models may be called. */
export const payerTypes = [
  'tenant',
  'flow',
  'agent',
  'product',
  'surface',
  'apiKey',
  'clientToken',
  'modelConfig',
] as const;

export interface Payer {
  type: (typeof payerTypes)[number];
  id: string;
}
