/** What error statuses also mean for calls of models. */
export const openAiStatuses = {
  402: '`insufficient_quota`',
  404: '`model_not_found`: no such model, flow or agent',
  422: '`run_failed` or `run_paused`: the run of the flow or agent',
  429: 'Also if the provider, or the limits of the model config or key, take no call in time',
  502: 'The provider failed',
  504: 'Also if the provider did not answer in time',
} as const;
