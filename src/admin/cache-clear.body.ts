import { IsString, Matches, ValidateIf } from 'class-validator';

/** A null is an error: it must not clear more than was meant. */
function isGiven(key: 'route' | 'path'): (body: object) => boolean {
  return (body) => Reflect.get(body, key) !== undefined;
}

/** Body of `POST /api/cache/clear`: `{}` clears all. */
export class CacheClearBody {
  @ValidateIf(isGiven('route'))
  @IsString({ message: 'must be the id of a route' })
  route?: string;

  @ValidateIf(isGiven('path'))
  @Matches(/^\/[^?#]*$/, { message: 'must be a path: it begins with / and has no query' })
  path?: string;
}
