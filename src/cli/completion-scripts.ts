// The completion scripts: a shell gives the words so far to `pctx __complete`, which answers with one word on each line,
// or says that a file is wanted.

/** Stands for the names of files, which a shell knows better. */
export const FILES = '__files__'

/**
 * bash splits words at some signs, such as : and =, and replaces only the part after the last of them; an @ it replaces, too. So the script joins
 * the words again, and removes the part before that sign from the answers. The answers get backslashes here unless the word has quotes.
 */
const BASH = `# pctx completion for bash: eval "$(pctx completion bash)"
_pctx() {
  local IFS=$'\\n' i word before head rest=$COMP_LINE
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    before=\${rest%%"$word"*}
    rest=\${rest#*"$word"}
    if [ "$i" -gt 0 ] && [ -n "$word" ] && [ -z "$before" ]; then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
  done
  case $word in [:=]) word= ;; esac
  head=\${words[\${#words[@]} - 1]%"$word"}
  head=\${head%@}
  for i in "\${!words[@]}"; do
    case \${words[i]} in
      [\\"\\']*) words[i]=\${words[i]:1} words[i]=\${words[i]%[\\"\\']} ;;
      *) words[i]=\${words[i]//\\\\/} ;;
    esac
  done
  COMPREPLY=($(pctx __complete -- "\${words[@]:1}" 2>/dev/null))
  if [ "\${COMPREPLY[0]}" = "${FILES}" ]; then
    COMPREPLY=($(compgen -f -- "\${words[\${#words[@]} - 1]}"))
    compopt -o filenames 2>/dev/null
    return
  fi
  for i in "\${!COMPREPLY[@]}"; do
    rest=\${COMPREPLY[i]}
    case $word in [\\"\\']*) ;; *) printf -v rest %q "$rest" ;; esac
    COMPREPLY[i]=\${rest#"$head"}
  done
}
complete -F _pctx pctx
`

/** Works by eval, and as a file _pctx in a folder of fpath. zsh knows what of a quoted word fits, so it is offered everything. */
const ZSH = `#compdef pctx
# pctx completion for zsh: eval "$(pctx completion zsh)" below compinit, or this as a file _pctx in a folder of $fpath
_pctx() {
  local -a found
  local last=$words[CURRENT]
  [[ $last == -* ]] || last=
  found=("\${(@f)$(pctx __complete -- "\${(@Q)words[2,CURRENT-1]}" "$last" 2>/dev/null)}")
  if [[ $found[1] == ${FILES} ]]; then
    _files
  elif [[ -n $found[1] ]]; then
    compadd -- "\${found[@]}"
  fi
}
if [[ $funcstack[1] == _pctx ]]; then _pctx "$@"; else compdef _pctx pctx; fi
`

/** fish, too, knows what fits. */
const FISH = `# pctx completion for fish: pctx completion fish | source
function __pctx_complete
  set -l words (commandline -opc)
  set -l last (commandline -ct)
  string match -q -- '-*' "$last"; or set last ''
  set -l found (pctx __complete -- $words[2..-1] "$last" 2>/dev/null)
  if test "$found[1]" = ${FILES}
    __fish_complete_path (commandline -ct)
  else if set -q found[1]
    printf '%s\\n' $found
  end
end
complete -c pctx -f -a '(__pctx_complete)'
`

export const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ['bash', BASH],
  ['zsh', ZSH],
  ['fish', FISH],
])
