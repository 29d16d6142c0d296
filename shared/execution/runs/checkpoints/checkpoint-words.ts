/** What most checkpoints contain. Never change it: it is needed to read them. */
export const checkpointWords =
  '"waiting":{"path":"","since":"2026-"attempts":[{"type":"retry","delayMs":"preview":"error":"resolvedPrompt":{"pointer":"' +
  'runs/exec_01","bytes":"generic-openai/anthropic/claude-openai/gpt-","modelUsed":"promptTokens":,"completionTokens":,' +
  '"estimatedCost":"0.0000"},"results":[{"path":"0","retryCount":0,"output":{"inline":"{\\"}},{"path":"1","retryCount":0,' +
  '"output":{"inline":"\\""}}],"end":{"status":"failed","error":null,"at":"2026-11-26T"},"flowName":"},' +
  '"recordMetadata":{"inline":"{\\"name\\":\\"\\",\\"}"},{"runId":"exec_01","index":0,"recordName":"","userId":"","organizationId":null';
