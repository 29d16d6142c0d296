import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../../../packages/client/src/client.ts';
import { type OperationResponse, useApi } from '../../../api/api.ts';
import { refresh } from '../../../api/queries.ts';

/** What a file becomes. */
export interface UploadPlan {
  file: File;
  nameColumn: string;
  typeColumn: string;
  /** The type of all rows if no column has it. */
  type: string;
}

/** What became of a file so far. */
export interface Outcome {
  plan: UploadPlan;
  created: number;
  /** How many rows were left out, and why: of many, only some. */
  leftOut: number;
  problems: readonly string[];
  /** The first line that is not known to be done; 0 before the first response, absent if all are done. */
  nextLine?: number;
}

export type UploadState = ReturnType<typeof useUpload>;

/** Uploads a file request by request. What it did is known after a stop and a failure too, and it goes on from there. */
export function useUpload() {
  const api = useApi();
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<Error>();
  const [isSending, setSending] = useState(false);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  /** What is known of this plan. Another one makes other records, so it begins anew. */
  const soFarOf = (plan: UploadPlan): Outcome =>
    outcome && isSame(outcome.plan, plan)
      ? outcome
      : { plan, created: 0, leftOut: 0, problems: [], nextLine: 0 };

  async function send(plan: UploadPlan) {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setSending(true);
    setError(undefined);
    let soFar = soFarOf(plan);
    setOutcome(soFar);
    try {
      while (soFar.nextLine !== undefined) {
        const answer = await api.records.uploadCsv({ body: bodyOf(soFar), signal });
        soFar = withAnswer(soFar, answer);
        setOutcome(soFar);
      }
    } catch (caught) {
      if (!signal.aborted) setError(caught as Error);
      const isRefused = caught instanceof ApiError && caught.status < 500;
      if (isRefused && soFar.nextLine === 0) setOutcome(undefined);
    } finally {
      setSending(false);
      await refresh(queries, ['records']);
    }
  }

  return { outcome, soFarOf, error, isSending, send, stop: () => running.current?.abort() };
}

const isSame = (one: UploadPlan, other: UploadPlan) =>
  (Object.keys(one) as (keyof UploadPlan)[]).every((key) => one[key] === other[key]);

const bodyOf = ({ plan: { file, nameColumn, typeColumn, type }, nextLine }: Outcome) => ({
  file,
  nameColumn,
  ...(typeColumn ? { typeColumn } : { typeValue: type }),
  ...(nextLine && { fromLine: String(nextLine) }),
});

function withAnswer(soFar: Outcome, answer: OperationResponse<'records.upload-csv'>): Outcome {
  const { created, errors, errorDetails, nextLine, warnings = [] } = answer;
  const sum = {
    plan: soFar.plan,
    created: soFar.created + created,
    leftOut: soFar.leftOut + errors,
    problems: [...soFar.problems, ...errorDetails, ...warnings.map(({ message }) => message)],
  };
  if (nextLine === undefined) return sum;
  // The service reports the line at which it ran out of time as an error too.
  const isProblem = (text: string) => !text.startsWith(`Line ${nextLine}:`);
  return { ...sum, leftOut: sum.leftOut - 1, problems: sum.problems.filter(isProblem), nextLine };
}
