import { labelHeaders, labelsInHeaders } from '../../shared/domain/runs/run-origin.ts';
import { verifiedCredential } from '../../shared/platform/auth/optional-credential.ts';
import { using } from '../../shared/platform/aws/uses.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { timeLimit } from '../../shared/protocols/openai/answers/streamed-answer.ts';
import { openAiErrorBody } from '../../shared/protocols/openai/error-form.ts';
import { modelRuns } from '../../shared/protocols/openai/model-run.ts';
import { answerEmbeddings } from '../../shared/protocols/openai/models/embed-texts.ts';
import { EmbeddingList, EmbeddingsBody } from '../../shared/protocols/openai/models/embedding-schemas.ts';
import { openAiStatuses } from './statuses.ts';

const embeddingScope = /* @__PURE__ */ using([modelRuns], (all: Scope) => all);

const { 422: _runs, ...statuses } = openAiStatuses;

export const embedForOpenAi = defineEndpoint({
  id: 'openai.embed',
  method: 'POST',
  path: '/v1/openai/embeddings',
  errorBody: openAiErrorBody,
  credential: verifiedCredential,
  permission: 'FLOWS:EXECUTE',
  summary: 'Embed texts, in the form of OpenAI',
  description:
    'OpenAI’s embeddings, for its packages. Budgets, limits and prices apply, and the call is a run in GET /v1/runs. Texts are not stored. All texts together may have 2,000,000 characters for each 500 of them, one 100,000.',
  headers: StartHeaders.extend(labelHeaders),
  body: EmbeddingsBody,
  open: 'run',
  response: { kind: 'stream', mediaType: 'application/json', body: EmbeddingList },
  errors: [400, 402, 404, 409, 422, 502],
  statuses,
  needs: { scope: embeddingScope },

  handle: ({ body, principal, header, timeLeftMs }, { scope }) =>
    answerEmbeddings(scope, { principal, labels: labelsInHeaders(header) }, body, timeLimit(timeLeftMs())),
});

export const handler = toStreamingLambda(embedForOpenAi);
