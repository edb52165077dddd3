// The conformance suite cannot send a credential. This proxy adds one: `node proxy.mjs TARGET KEY`, prints its port.
// It forwards Host and Origin with the port replaced, so that their checks still apply.
import http from 'node:http';

const target = new URL(process.argv[2]);
const key = process.argv[3];
const proxy = http.createServer((request, response) => {
  const own = `:${proxy.address().port}`;
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  for (const name of ['host', 'origin']) if (headers[name]) headers[name] = headers[name].replace(own, `:${target.port}`);
  const onward = http.request({ host: target.hostname, port: target.port, method: request.method, path: request.url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', (error) => { response.writeHead(502); response.end(String(error)); });
  request.pipe(onward);
});
proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port));
