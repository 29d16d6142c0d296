/** The signing secret that the service made for an outgoing webhook: only the response to the change has it. */
export function newWebhookSecret(surface: object): string | undefined {
  const { outbound } = surface as { outbound?: { webhook?: { secret?: unknown } } | null };
  const secret = outbound?.webhook?.secret;
  return typeof secret === 'string' ? secret : undefined;
}
