import gateway from 'fast-gateway';

const [port, upstream] = process.argv.slice(2);
await gateway({ routes: [{ prefix: '', target: `http://127.0.0.1:${upstream}` }] }).start(
  Number(port),
  '127.0.0.1',
);
