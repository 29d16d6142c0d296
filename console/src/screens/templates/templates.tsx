import { useNavigate, useSearch } from '@tanstack/react-router';
import { Segments } from '../../ui/forms/segments.tsx';
import { Page } from '../../ui/page.tsx';
import { Gallery } from './gallery.tsx';

const kinds = [
  { value: 'all', label: 'All' },
  { value: 'flow', label: 'Flows' },
  { value: 'agent', label: 'Agents' },
  { value: 'product', label: 'Products' },
] as const;
type Kind = (typeof kinds)[number]['value'];

/** The gallery of templates. The address says which kind. */
export function Templates() {
  const { kind }: { kind?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const shown: Kind = kinds.find(({ value }) => value === kind)?.value ?? 'all';
  return (
    <Page
      title="Templates"
      actions={
        <Segments
          label="Kind"
          value={shown}
          options={kinds}
          onChange={(next) => navigate({ to: '.', search: { kind: next }, replace: true } as never)}
        />
      }
    >
      <p className="help">
        One click creates everything, with sample records to try it on. Change it as you like.
      </p>
      <Gallery opens={shown === 'all' ? undefined : shown} />
    </Page>
  );
}
