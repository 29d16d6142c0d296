import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Segments } from '../../../ui/forms/segments.tsx';
import { copyText } from '../../../ui/forms/use-copy.ts';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { notify } from '../../../ui/notices.tsx';
import { download } from '../../../ui/values/download.ts';

type Format = 'yaml' | 'json';

const formats = [
  { value: 'yaml', label: workspaceTexts.formats.yaml },
  { value: 'json', label: workspaceTexts.formats.json },
] as const;

/** The document of what is here. It is read anew each time. */
export function ExportCard() {
  const { call } = useApi();
  const [format, setFormat] = useState<Format>('yaml');
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error>();

  async function take(use: (text: string) => unknown) {
    setPending(true);
    setError(undefined);
    try {
      const headers = { accept: `application/${format}` };
      const document: unknown = await call('workspace.get', { headers });
      await use(typeof document === 'string' ? document : `${JSON.stringify(document, undefined, 2)}\n`);
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setPending(false);
    }
  }
  const copy = async (text: string) => (await copyText(text)) && notify(workspaceTexts.documentCopied);
  const save = (text: string) => download(text, `workspace.${format}`, `application/${format}`);

  return (
    <section className="card workspace-export" aria-labelledby="export">
      <div>
        <h2 id="export">{workspaceTexts.export}</h2>
        <p className="help">{workspaceTexts.aboutExport}</p>
      </div>
      <div className="actions">
        <Segments label={workspaceTexts.format} value={format} options={formats} onChange={setFormat} />
        <Button onPress={() => take(copy)} isPending={isPending}>
          {workspaceTexts.copyDocument}
        </Button>
        <Button onPress={() => take(save)} isPending={isPending}>
          {workspaceTexts.download}
        </Button>
      </div>
      {error && <FailureNotice error={error} />}
    </section>
  );
}
