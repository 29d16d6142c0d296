/** What most checkpoints contain. Never change it: it is needed to read them. */
export const checkpointWords =
  '"waiting":{"path":"","since":"2026-"attempts":[{"type":"retry","delayMs":"preview":"error":"resolvedPrompt":{"pointer":"' +
  'runs/exec_01","bytes":"generic-openai/anthropic/claude-openai/gpt-","modelUsed":"promptTokens":,"completionTokens":,' +
  '"estimatedCost":"0.0000"},"results":[{"path":"0","retryCount":0,"output":{"inline":"{\\"}},{"path":"1","retryCount":0,' +
  '"output":{"inline":"\\""}}],"end":{"status":"failed","error":null,"at":"2026-11-26T"},"flowName":"},' +
  '"recordMetadata":{"inline":"{\\"name\\":\\"\\",\\"}"},{"runId":"exec_01","index":0,"recordName":"","userId":"","organizationId":null';

/** The same for what is written since runs have traces and numbers. Never change it either. */
export const checkpointWordsSince =
  '"input":{"inline":"{\\"inputs\\":{\\""}","startedIn":"00-"use":{"openai/gpt-anthropic/claude-generic-openai/":{"calls":1,"failed":0,"tokens":' +
  '{"input":1,"output":1,"cachedInput":0,"reasoning":0},"cost":null,"cost":"0.000","durations":{"100":1}}},"notes":[{"k":"m","at":1,"ms":20,"f":12,"n":"","u":[0,0,' +
  checkpointWords;
