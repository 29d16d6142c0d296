import { covers } from '../../../shared/platform/identity/permissions.ts';
import { useApi } from '../api/api.ts';
import { useOpenRuns } from '../api/open-runs.ts';
import { useCall } from '../api/queries.ts';
import { isBelow, sections } from '../routing/sections.ts';
import { inboxTexts } from '../texts/inbox.ts';
import { sharedTexts } from '../texts/shared.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/forms/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { useKeptChoice } from '../ui/kept-choice.ts';
import { Link } from '../ui/link.tsx';
import { Account } from './account/account.tsx';
import { commandKey } from './shortcuts/keys.ts';

export interface FrameActions {
  onSearch: () => void;
  onShortcuts: () => void;
}

export interface MenuProps extends FrameActions {
  pathname: string;
  /** Whether it shows icons only. */
  isNarrow?: boolean;
}

/** The menu beside every screen, as wide as somebody likes it. Hidden on a phone. */
export function SideBar(props: MenuProps) {
  const [width, setWidth] = useKeptChoice('menu', ['wide', 'narrow']);
  const isNarrow = width === 'narrow';
  return (
    <header className={`side ${width}`}>
      <div className="side-inside">
        <div className="brand">
          <Brand />
          <Button
            look="quiet"
            aria-label={isNarrow ? shellTexts.expandMenu : shellTexts.collapseMenu}
            onPress={() => setWidth(isNarrow ? 'wide' : 'narrow')}
          >
            <Icon name="collapse" />
          </Button>
        </div>
        <MenuParts {...props} isNarrow={isNarrow} />
      </div>
    </header>
  );
}

const Brand = () => (
  <Link to="/" className="brand-name">
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" className="icon brand-mark">
      <circle cx="5" cy="6" r="2.5" />
      <circle cx="19" cy="6" r="2.5" />
      <circle cx="12" cy="18" r="2.5" />
      <path d="M7.5 6h9M6.5 8l4 7.8M17.5 8l-4 7.8" />
    </svg>
    <span>{shellTexts.agentsAndFlows}</span>
  </Link>
);

export const MenuParts = ({ pathname, onSearch, onShortcuts, isNarrow = false }: MenuProps) => (
  <>
    <SearchButton onSearch={onSearch} isNarrow={isNarrow} />
    <nav aria-label={shellTexts.console}>
      <ul>
        {sections.map(({ to, label, icon }) => (
          <li key={to}>
            <Link to={to} title={label} aria-current={isBelow(pathname, to) ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{label}</span>
              {to === '/inbox' && <OpenQuestionCount />}
              {to === '/runs' && <OpenRunCount />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
    <Account onShortcuts={onShortcuts} />
  </>
);

const SearchButton = ({ onSearch, isNarrow }: Pick<MenuProps, 'onSearch' | 'isNarrow'>) => (
  <Button
    onPress={onSearch}
    aria-keyshortcuts={commandKey.aria}
    {...(isNarrow && { 'aria-label': sharedTexts.search })}
  >
    <Icon name="search" />
    <span className="search-text">{sharedTexts.search}</span>
    <kbd>{commandKey.text}</kbd>
  </Button>
);

/** On a phone, in place of the menu. */
export const TopBar = ({ onMenu, onSearch }: FrameActions & { onMenu: () => void }) => (
  <header className="top-bar">
    <Button look="quiet" aria-label={shellTexts.menu} onPress={onMenu}>
      <Icon name="menu" size={20} />
    </Button>
    <Brand />
    <Button look="quiet" aria-label={sharedTexts.search} onPress={onSearch}>
      <Icon name="search" size={20} />
    </Button>
  </header>
);

const waitReaders = ['FLOWS:READ', 'AGENTS:READ'] as const;
/** Each is read with its run. */
const countedMax = 30;
const countEveryMs = 30_000;

/** How many questions are open, beside the link to them, in another colour while some are overdue. */
function OpenQuestionCount() {
  const { permissions } = useApi().credential;
  const mayRead = permissions === null || waitReaders.some((each) => covers(permissions, each));
  const query = { limit: countedMax, sort: 'expiresAt' } as const;
  const { data } = useCall('waits.list', { query }, { enabled: mayRead, everyMs: countEveryMs });
  const rows = data?.data ?? [];
  if (rows.length === 0) return null;
  const overdue = rows.filter(({ overdueAt }) => Date.parse(overdueAt) <= Date.now()).length;
  const more = data?.pagination.hasMore ? '+' : '';
  return (
    <span
      className={overdue > 0 ? 'open-runs overdue' : 'open-runs'}
      title={overdue > 0 ? inboxTexts.overdueCount(`${overdue}${more}`) : undefined}
    >
      {rows.length}
      {more}
      <span className="visually-hidden">
        {' '}
        {inboxTexts.openQuestions}
        {overdue > 0 && `, ${inboxTexts.overdueCount(`${overdue}${more}`)}`}
      </span>
    </span>
  );
}

const readers = ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'] as const;
const everyMs = { running: 10_000, waiting: 10_000, none: 30_000 };

/** How many runs are open, beside the link to them; nothing if none is, or nobody may know. */
function OpenRunCount() {
  const { permissions } = useApi().credential;
  const mayRead = permissions === null || readers.some((each) => covers(permissions, each));
  const { data, counts } = useOpenRuns({ enabled: mayRead, everyMs });
  const { running, waiting } = counts;
  if (running + waiting === 0) return null;
  const parts = [
    running > 0 && shellTexts.runningCount(running),
    waiting > 0 && shellTexts.waitingCount(waiting),
  ];
  return (
    <span className="open-runs" title={parts.filter(Boolean).join(', ')}>
      {running + waiting}
      {data?.pagination.hasMore && '+'}
      <span className="visually-hidden"> {shellTexts.open}</span>
    </span>
  );
}
