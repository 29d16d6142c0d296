import { useNavigate, useSearch } from '@tanstack/react-router';
import { sharedTexts } from '../../texts/shared.ts';
import { templateTexts } from '../../texts/templates.ts';
import { Segments } from '../../ui/forms/segments.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { Gallery } from './gallery.tsx';

const kinds = [
  { value: 'all', label: sharedTexts.all },
  { value: 'flow', label: sharedTexts.flows },
  { value: 'agent', label: sharedTexts.agents },
  { value: 'product', label: sharedTexts.products },
] as const;
type Kind = (typeof kinds)[number]['value'];

/** The gallery of templates. The address says which kind. */
export function Templates() {
  const { kind }: { kind?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const shown: Kind = kinds.find(({ value }) => value === kind)?.value ?? 'all';
  return (
    <ScreenPage
      title={templateTexts.templates}
      actions={
        <Segments
          label={sharedTexts.kind}
          value={shown}
          options={kinds}
          onChange={(next) => navigate({ to: '.', search: { kind: next }, replace: true } as never)}
        />
      }
    >
      <p className="help">{templateTexts.aboutTemplates}</p>
      <Gallery opens={shown === 'all' ? undefined : shown} />
    </ScreenPage>
  );
}
