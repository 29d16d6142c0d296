import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { OperationRequest, OperationResponse } from '../../../api/api.ts';
import { useAction, useCall } from '../../../api/queries.ts';
import { exportTexts } from '../../../texts/exports.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { valueText } from '../../../texts/values.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { CheckField } from '../../../ui/forms/check.tsx';
import { Segments } from '../../../ui/forms/segments.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { bytes } from '../../../ui/values/format.ts';

type Body = NonNullable<OperationRequest<'exports.create'>['body']>;

interface Props {
  subject: Body['what'];
  filter: NonNullable<Body['filter']>;
  title: string;
  /** What the file will have. */
  about: ReactNode;
}

/** Writes a file in the background, of any size, shows how far it is, and loads it at the end. */
export function ExportButton({ title, ...form }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [id, setId] = useState<string>();
  const close = () => setOpen(false);
  return (
    <>
      <Button onPress={() => setOpen(true)}>{exportTexts.export}</Button>
      <Dialog title={title} isOpen={isOpen} onClose={close}>
        {id === undefined ? (
          <ExportForm {...form} onStarted={setId} onClose={close} />
        ) : (
          <ExportProgress key={id} id={id} onAnother={() => setId(undefined)} onClose={close} />
        )}
      </Dialog>
    </>
  );
}

type Format = Body['format'];
const formats = (['csv', 'jsonl', 'parquet'] as const).map((value) => ({ value, label: valueText(value) }));

interface FormProps extends Omit<Props, 'title'> {
  onStarted: (id: string) => void;
  onClose: () => void;
}

function ExportForm({ subject: what, filter, about, onStarted, onClose }: FormProps) {
  const [format, setFormat] = useState<Format>('csv');
  const [isPacked, setPacked] = useState(false);
  const [isFlat, setFlat] = useState(false);
  const create = useAction('exports.create', { onSuccess: ({ id }) => onStarted(id) });
  const compress = isPacked && format !== 'parquet';
  return (
    <>
      <div className="prose">{about}</div>
      <p>
        <Segments label={exportTexts.format} value={format} options={formats} onChange={setFormat} />
      </p>
      {format !== 'parquet' && (
        <CheckField label={exportTexts.compress} isOn={isPacked} onChange={setPacked} />
      )}
      <CheckField
        label={exportTexts.flatten}
        help={exportTexts.flattenHelp}
        isOn={isFlat}
        onChange={setFlat}
      />
      {create.error && <FailureNotice error={create.error} />}
      <div className="actions">
        <Button onPress={onClose}>{sharedTexts.cancel}</Button>
        <Button
          look="primary"
          isPending={create.isPending}
          onPress={() =>
            create.mutate({
              body: { what, filter, format, flatten: isFlat, ...(compress && { compress: 'gzip' }) },
            })
          }
        >
          {exportTexts.start}
        </Button>
      </div>
    </>
  );
}

type Export = OperationResponse<'exports.get'>;
const everyMs = 1_000;
const isOpen = ({ status }: Export) => status === 'queued' || status === 'running';

interface ProgressProps {
  id: string;
  onAnother: () => void;
  onClose: () => void;
}

function ExportProgress({ id, onAnother, onClose }: ProgressProps) {
  const found = useCall(
    'exports.get',
    { params: { id } },
    { everyMs: (last) => !(last && !isOpen(last)) && everyMs },
  );
  const cancel = useAction('exports.cancel');
  const { data, error } = found;
  useDownload(data);
  return (
    <>
      {error && <FailureNotice error={error} />}
      {data && <Outcome of={data} />}
      <div className="actions">
        {data && isOpen(data) && (
          <Button isPending={cancel.isPending} onPress={() => cancel.mutate({ params: { id } })}>
            {exportTexts.cancelExport}
          </Button>
        )}
        {data && !isOpen(data) && <Button onPress={onAnother}>{exportTexts.another}</Button>}
        <Button onPress={onClose}>{sharedTexts.close}</Button>
        {data?.url && (
          <a className="button primary" href={data.url} download>
            {exportTexts.download}
          </a>
        )}
      </div>
    </>
  );
}

/** Loads the file as soon as it is there, for somebody who waits for it. */
function useDownload(found: Export | undefined): void {
  const waits = useRef(false);
  const { url } = found ?? {};
  useEffect(() => {
    if (found && isOpen(found)) waits.current = true;
    if (!url || !waits.current) return;
    waits.current = false;
    Object.assign(document.createElement('a'), { href: url, download: '' }).click();
  }, [found, url]);
}

function Outcome({ of: { status, progress, bytes: size, error } }: { of: Export }) {
  const { rows, total } = progress;
  if (error) return <p className="problem">{error.message}</p>;
  if (status === 'cancelled') return <p>{exportTexts.exportCancelled}</p>;
  if (status === 'completed') return <p role="status">{exportTexts.fileIsReady(rows, bytes(size ?? 0))}</p>;
  return (
    <>
      <p role="status">{exportTexts.writing} …</p>
      <progress aria-label={exportTexts.writing} {...(total && { max: total, value: rows })} />
      <p className="help">
        {total === null ? exportTexts.rowsWritten(rows) : exportTexts.rowsOf(rows, total)}.{' '}
        {exportTexts.goesOn}
      </p>
    </>
  );
}
