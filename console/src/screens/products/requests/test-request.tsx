import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ConnectionError } from '../../../../../packages/client/src/client.ts';
import { useApi } from '../../../api/api.ts';
import { refresh } from '../../../api/queries.ts';
import { productTexts } from '../../../texts/products.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import { durationText } from '../../../ui/values/format.ts';
import { isObject } from '../../../ui/values/schema.ts';
import { Value } from '../../../ui/values/value.tsx';
import { isAnsweredFailure, type SurfaceRequest } from './surface-call.ts';

interface Props {
  call: SurfaceRequest;
  /** Of the item that runs. */
  name: string;
  /** The parameters, as JSON. */
  text: string;
  onText: (text: string) => void;
  problem: string | undefined;
  insertedKey: string | undefined;
  onSent: () => void;
}

/** Calls the surface as a program would: with the key that was made here, else as the person who is signed in. */
export function TestRequest({ call, name, text, onText, problem, insertedKey, onSent }: Props) {
  const { credential } = useApi();
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: async () => send(call, insertedKey ?? (await credential.token())),
    onSuccess() {
      onSent();
      return refresh(queries, ['runs']);
    },
  });
  const { data: response, error, isPending } = test;
  return (
    <div className="products-test">
      <TextField
        label={productTexts.parameters}
        help={productTexts.jsonObjectForSnippets}
        lines={6}
        value={text}
        onChange={onText}
        problem={problem}
      />
      <p className="help">
        {productTexts.testReallyRuns(<bdi>{name}</bdi>)}{' '}
        {insertedKey ? productTexts.usesNewKey : productTexts.usesYourSession}
      </p>
      <Button isDisabled={problem !== undefined} isPending={isPending} onPress={() => test.mutate()}>
        {productTexts.sendTestRequest}
      </Button>
      {error && <FailureNotice error={error} />}
      <div role="status">
        {isPending && <p className="help">{productTexts.waitingForResponse}</p>}
        {response && !isPending && (
          <section aria-label={productTexts.response} className="products-response">
            <p className="row">
              <StatusLabel of={response.isOk ? 'success' : 'failed'} />
              <span>
                {response.status} · {durationText(response.durationMs)}
              </span>
              {response.executionId && (
                <Link to={`/runs/${response.executionId}`}>{sharedTexts.openRun}</Link>
              )}
            </p>
            <Value of={response.body} label={productTexts.responseBody} />
          </section>
        )}
      </div>
    </div>
  );
}

async function send({ url, headers, body }: SurfaceRequest, token: string) {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  }).catch((cause) => {
    throw new ConnectionError('surface-runs.run', cause);
  });
  const text = await response.text();
  const durationMs = performance.now() - startedAt;
  const answer = parsed(text);
  const executionId =
    isObject(answer) && typeof answer.executionId === 'string' ? answer.executionId : undefined;
  const status = `${response.status} ${response.statusText}`.trim();
  return { status, isOk: response.ok && !isAnsweredFailure(answer), durationMs, body: answer, executionId };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
