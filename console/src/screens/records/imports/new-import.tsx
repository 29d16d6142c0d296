import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { DropZone, FileTrigger } from 'react-aria-components';
import { type OperationResponse, useApi } from '../../../api/api.ts';
import { useAction } from '../../../api/queries.ts';
import { importPath } from '../../../routing/record-paths.ts';
import { importTexts } from '../../../texts/imports.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { LeaveQuestion } from '../../../ui/dialogs/leave-question.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { ScreenPage } from '../../../ui/page.tsx';
import { bytes } from '../../../ui/values/format.ts';
import '../../../style/imports.css';

/** Takes a file and sends it, or an address of one; what becomes of it is decided on the next page, which has read it. */
export function SendFilePage() {
  const { file, sent, error, isSending, send, sendAgain, stop } = useSending();
  return (
    <ScreenPage title={importTexts.importFile} above={[{ to: '/records', label: sharedTexts.records }]}>
      {!isSending && (
        <DropZone
          className="import-drop"
          aria-label={importTexts.dropFile}
          onDrop={async ({ items }) => {
            const item = items.find((each) => each.kind === 'file');
            if (item?.kind === 'file') send(await item.getFile());
          }}
        >
          <p>
            <strong>{importTexts.dropOrChoose}</strong>
          </p>
          <p className="help">{importTexts.whichFiles}</p>
          <FileTrigger
            acceptedFileTypes={accepted}
            onSelect={(files) => {
              const [chosen] = files ?? [];
              if (chosen) send(chosen);
            }}
          >
            <Button look="primary">{importTexts.chooseFile}</Button>
          </FileTrigger>
        </DropZone>
      )}
      {isSending && file && (
        <section className="card" aria-label={importTexts.progress}>
          <p>
            <bdi>{importTexts.sending(file.name)}</bdi>
          </p>
          <progress aria-label={importTexts.progress} max={Math.max(1, file.size)} value={sent.bytes} />
          <p className="help">
            {importTexts.sentOf(bytes(sent.bytes), bytes(file.size), bytes(Math.round(sent.bytesPerSecond)))}
          </p>
          <Button onPress={stop}>{sharedTexts.stop}</Button>
        </section>
      )}
      {error && <FailureNotice error={error} {...(sendAgain && { onRetry: sendAgain })} />}
      {!isSending && <FromAddress />}
      <LeaveQuestion isChanged={isSending} title={importTexts.leaveWhileSending}>
        {importTexts.uploadStops}
      </LeaveQuestion>
    </ScreenPage>
  );
}

/** The service loads the file itself. */
function FromAddress() {
  const { typeOf, open } = useNextPage();
  const [address, setAddress] = useState('');
  const [problem, setProblem] = useState<string>();
  const url = address.trim();
  const create = useAction('imports.create', { onSuccess: ({ id, name }) => open(id, typeOf(name)) });
  function send(event: FormEvent) {
    event.preventDefault();
    const isAddress = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
    setProblem(isAddress ? undefined : importTexts.noAddress);
    if (!isAddress) return;
    const type = typeOf(new URL(url).pathname.split('/').at(-1) ?? '');
    create.mutate({ body: { source: { url }, type } });
  }
  return (
    <form className="card import-address" onSubmit={send} noValidate>
      <TextField
        label={importTexts.fromAddress}
        help={importTexts.aboutAddress}
        placeholder={importTexts.addressStart}
        type="url"
        value={address}
        onChange={setAddress}
        problem={problem}
        maxLength={4_000}
        spellCheck="false"
      />
      {create.error && <FailureNotice error={create.error} />}
      <Button type="submit" isPending={create.isPending} isDisabled={url === ''}>
        {importTexts.readAddress}
      </Button>
    </form>
  );
}

/** Which type its records have at first, and the page of an import where that is decided. */
function useNextPage() {
  const navigate = useNavigate();
  const search: Record<string, unknown> = useSearch({ strict: false });
  return {
    typeOf: (fileName: string) => (typeof search.type === 'string' ? search.type : typeOfFile(fileName)),
    open: (id: string, type: string) =>
      navigate({ to: importPath(id), search: { ...search, type }, replace: true } as never),
  };
}

const accepted = ['.csv', '.tsv', '.txt', '.jsonl', '.ndjson', '.json', '.parquet', '.gz', 'text/csv'];

type Created = Pick<OperationResponse<'imports.create'>, 'id' | 'upload'>;
type Upload = NonNullable<Created['upload']>;

/** Of a file that is to be sent, and is sent again after the connection broke off. */
function useSending() {
  const api = useApi();
  const { typeOf, open } = useNextPage();
  const running = useRef<AbortController>(null);
  const created = useRef<Created>(null);
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState<Sent>({ bytes: 0, bytesPerSecond: 0 });
  const [error, setError] = useState<Error>();
  const [isSending, setSending] = useState(false);
  useEffect(() => () => running.current?.abort(), []);

  async function sendAs(next: File, declared: Created | null) {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setFile(next);
    setError(undefined);
    setSent({ bytes: 0, bytesPerSecond: 0 });
    setSending(true);
    try {
      const type = typeOf(next.name);
      const source = { upload: { fileName: next.name, bytes: next.size } };
      // One that was begun has new addresses, and says which parts are there.
      created.current = declared
        ? await api.imports.get({ params: { id: declared.id }, signal })
        : await api.imports.create({ body: { source, type }, signal });
      const { id, upload } = created.current;
      if (upload) await sendFile(next, upload, setSent, signal);
      setSending(false);
      // After the question of the page has gone.
      setTimeout(() => open(id, type));
    } catch (caught) {
      setSending(false);
      if (signal.aborted) {
        // Nobody will start it.
        if (created.current) api.imports.cancel({ params: { id: created.current.id } }).catch(() => {});
        created.current = null;
      } else setError(caught as Error);
    }
  }

  return {
    file,
    sent,
    error,
    isSending,
    send: (next: File) => sendAs(next, null),
    sendAgain: file && (() => sendAs(file, created.current)),
    stop: () => running.current?.abort(new Error(sharedTexts.stop)),
  };
}

const typeMax = 255;

/** `airports` of `airports-2026.csv.gz`: what somebody would most likely type. */
const typeOfFile = (name: string) =>
  name
    .replace(/(\.\w{1,8}){1,2}$/, '')
    .replace(/[-_. ]*[\d-]+$/, '')
    .trim()
    .slice(0, typeMax)
    .toWellFormed() || 'record';

interface Sent {
  bytes: number;
  bytesPerSecond: number;
}

const attemptsMax = 4;
const pauseMs = 500;

/**
 * Sends a file to its signed address; a large one in parts, one after the other, each again after a failure, and without those
 * that are there. @throws if it does not arrive
 */
async function sendFile(
  file: File,
  upload: Upload,
  onProgress: (sent: Sent) => void,
  signal: AbortSignal,
): Promise<void> {
  const since = performance.now();
  const pieces = upload.parts ?? [{ url: upload.url, bytes: file.size, isUploaded: false }];
  let at = 0;
  let taken = 0;
  for (const { url, bytes: size, isUploaded } of pieces) {
    const start = at;
    at += size;
    if (isUploaded) {
      taken += size;
      continue;
    }
    const report = (loaded: number) => {
      const seconds = Math.max(0.001, (performance.now() - since) / 1_000);
      onProgress({ bytes: start + loaded, bytesPerSecond: (start + loaded - taken) / seconds });
    };
    const attempts = upload.parts ? attemptsMax : 1;
    await retry(attempts, signal, () => sendPiece(file.slice(start, at), { ...upload, url }, report, signal));
  }
}

async function retry(attempts: number, signal: AbortSignal, send: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (signal.aborted || attempt >= attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** attempt));
      signal.throwIfAborted();
    }
  }
}

/** Says how far it is, which `fetch` cannot. */
function sendPiece(
  piece: Blob,
  { url, method, headers }: Pick<Upload, 'url' | 'method' | 'headers'>,
  onProgress: (loaded: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
  request.addEventListener('load', () =>
    request.status < 300 ? resolve() : reject(new Error(importTexts.storageRefused(request.status))),
  );
  request.addEventListener('error', () => reject(new Error(importTexts.connectionBroke)));
  request.addEventListener('abort', () => reject(signal.reason));
  request.addEventListener('loadend', () => signal.removeEventListener('abort', abort));
  signal.addEventListener('abort', abort, { once: true });
  request.open(method, url);
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.send(piece);
  return promise;
}
