/** Who may import whom: common <- config <- exchange <- rooms <- composition roots <- cli <- main. */

/** The folders of src that know the path's shared words and not each other. */
const ROOMS = [
  'routing',
  'auth',
  'cors',
  'security-headers',
  'rate-limit',
  'cache',
  'redis',
  'transform',
  'validation',
  'proxy',
  'upstream',
  'health',
  'metrics',
  'logging',
  'tracing',
  'ai',
  'admin',
  'extensions',
  'tls',
];

/** Files that know all rooms. */
const ROOTS = '^src/((gateway|data|admin)\\.[a-z]+|pipeline|application|index)\\.ts$';

/** Specs, contract suites and fixtures that specs call. */
const TESTS = '\\.(spec|test|contract|fixture)\\.ts$';

function mayImportOnly(from, to, comment) {
  return {
    name: `${from}-imports-only`,
    comment,
    severity: 'error',
    from: { path: `^src/${from}/`, pathNot: TESTS },
    to: { path: '^(src|mock-services|test|bench)/', pathNot: to },
  };
}

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Files that import each other, over any number of others, are one file in disguise. Types may.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    mayImportOnly('common', '^src/common/', 'common holds pure helpers: it knows nothing of the project.'),
    mayImportOnly('config', '^src/(config|common)/', 'config is the document: it knows common alone.'),
    mayImportOnly('exchange', '^src/(exchange|config|common)/', 'exchange is what the rooms share.'),
    {
      name: 'rooms-do-not-import-each-other',
      comment: 'Rooms meet through exchange and Nest tokens.',
      severity: 'error',
      from: { path: `^src/(${ROOMS.join('|')})/`, pathNot: TESTS },
      to: { path: '^(src|mock-services|test|bench)/', pathNot: '^src/($1|exchange|config|common)/' },
    },
    {
      name: 'common-is-plain',
      comment: 'common has no Nest and no other package.',
      severity: 'error',
      from: { path: '^src/common/', pathNot: TESTS },
      to: { dependencyTypes: ['npm', 'npm-dev'] },
    },
    {
      name: 'roots-do-not-import-the-command',
      comment: 'Composition roots put rooms together; the command starts them.',
      severity: 'error',
      from: { path: ROOTS },
      to: { path: '^src/(cli/|main\\.ts)' },
    },
    {
      name: 'known-places-only',
      comment: 'A file beside the composition roots or a new folder must be named in this file first.',
      severity: 'error',
      from: {},
      to: {
        path: '^src/',
        pathNot: [
          `^src/(${[...ROOMS, 'common', 'config', 'exchange', 'cli', 'client'].join('|')})/`,
          ROOTS,
          '^src/main\\.ts$',
        ],
      },
    },
    {
      name: 'the-command-knows-roots-not-rooms',
      comment:
        'The command may use config, common, the composition root, and logging for what happens outside of it.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: TESTS },
      to: {
        path: '^(src|mock-services|test|bench)/',
        pathNot: `^src/(cli|logging|exchange|config|common)/|${ROOTS}`,
      },
    },
    {
      name: 'main-knows-the-command',
      severity: 'error',
      from: { path: '^src/main\\.ts$' },
      to: { path: '^src/', pathNot: '^src/cli/' },
    },
    {
      name: 'mocks-stand-apart',
      comment: 'Mock services use pure helpers and the config loader, never the gateway.',
      severity: 'error',
      from: { path: '^mock-services/', pathNot: TESTS },
      to: { path: '^src/', pathNot: '^src/(common|config)/' },
    },
    {
      name: 'no-tests-in-sources',
      severity: 'error',
      from: { path: '^(src|mock-services)/', pathNot: TESTS },
      to: { path: `^test/|${TESTS}` },
    },
    {
      name: 'no-dev-dependencies-in-sources',
      comment: 'The image is pruned of them.',
      severity: 'error',
      from: { path: '^(src|mock-services)/', pathNot: TESTS },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '/@types/' },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
