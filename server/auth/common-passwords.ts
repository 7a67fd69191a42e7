/** Well-known passwords of 8 characters and more, lower case: what attackers try first. Shorter ones are refused by length. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  00000000 000000000 0000000000 01011980 01011985 01011990 01011991 01011992 01011993 01011994 01011995 01012000
  01012001 01020304 01234567 012345678 0123456789 0987654321 10101010 10203040 102030405060 1029384756 11001100
  11111111 111111111 1111111111 11112222 11223344 1122334455 112233445566 12121212 12312312 123123123 1231231234
  123321123 12341234 12344321 1234512345 123454321 12345678 123456780 123456789 1234567890 1234567891 12345678910
  123456789a 123456789q 123456789z 12345679 1234567a 1234567q 123456abc 123456qwe 123456qwerty 123459876 12345abc
  12345qwert 1234abcd 1234qwer 123abc123 123qwe123 123qwe123qwe 123qweasd 123qweasdzxc 13131313 13579246 135792468
  1357924680 14141414 147258369 1472583690 147852369 159357456 159753159753 159753456852 19841984 19851985 19861986
  19871987 19881988 19891989 19901990 19911991 19921992 19931993 19941994 19951995 19961996 1a2b3c4d 1a2b3c4d5e
  1q1q1q1q 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 1qazxsw23edc 1qw23er4 20002000
  20012001 20102010 20202020 20232023 20242024 20252025 20262026 21212121 22222222 23232323 24681012 246813579
  25252525 27182818 2pac4life 2wsx3edc 31415926 314159265 3141592654 321321321 33333333 3edc4rfv 420420420 44444444
  456456456 50cent123 55555555 66666666 69696969 741852963 77777777 78787878 789456123 7894561230 789789789 87654321
  88888888 89898989 963852741 987654321 9876543210 987987987 98989898 99999999 a1234567 a12345678 a123456789 a1b2c3d4
  a1b2c3d4e5 a1s2d3f4 aa123456 aa12345678 aaa11111 aaaa1111 aaaaaaaa aaaaaaaaa aaaaaaaaaa aabbccdd abababab abc12345
  abc123456 abc1234567 abc123abc abc123def abcabcabc abcd1234 abcd12345 abcd4321 abcdabcd abcdef123 abcdefg1
  abcdefg123 abcdefgh abcdefghi abcdefghij access123 access14 accessdenied acdcacdc adgangskode admin!123 admin!23
  admin001 admin123 admin1234 admin12345 admin123456 admin2020 admin2021 admin2022 admin2023 admin2024 admin2025
  admin2026 admin@123 admin@1234 adminadmin administrador administrator adminpass adminpassword airborne airforce
  ajaxajax alejandra alejandra1 alejandro alejandro1 aleksandr alexander alexander1 alexandr alexandra alexandra1
  alexandru alien123 amanda12 amanda123 amazon123 american american1 americano andrea01 andrea1! andrea123 andrea123!
  andrea1234 andrea2023 andrea2024 andrea2025 andrea2026 andrew12 andrew123 andrey123 angel123 angel1234 angelica
  angelica1 angelina angelina1 angels12 anna123! anna1234 anna2023 anna2024 anna2025 anna2026 anthony1 anthony12
  anthony123 anthropic anything apple123 apple123! apple1234 apple2023 apple2024 apple2025 apple2026 april123
  april123! april1234 april2023 april2024 april2025 april2026 area5151 argentina argentina1 army1234 arsenal1
  arsenal123 arsenal14 asd123asd asdasdasd asdf1234 asdf4321 asdfasdf asdfgh123 asdfghjk asdfghjkl asdfghjkl123
  asdfqwer asdzxc123 ashley12 ashley123 assassin assassin1 assassinscreed asshole1 asshole12 asshole123 audi1234
  august01 august1! august123 august123! august1234 august2023 august2024 august2025 august2026 australia australia1
  authorized autumn01 autumn1! autumn123 autumn123! autumn1234 autumn2023 autumn2024 autumn2025 autumn2026
  avengedsevenfold azerty123 azertyui azertyuiop babyboy1 babydoll babyface babygirl babygirl1 babygirl12 babygirl123
  babylove badboy12 badboy123 badgirl1 bailey01 bailey1! bailey123 bailey123! bailey1234 bailey2023 bailey2024
  bailey2025 bailey2026 ballet12 banana01 banana1! banana123 banana123! banana1234 banana2023 banana2024 banana2025
  banana2026 bananas1 bangladesh barcelona barcelona1 barcelona123 barfoo12 bartsimpson baseball baseball1 baseball12
  baseball123 basketball basketball1 basketball23 batista1 batman12 batman123 batmanbatman bayern123 bayernmunchen
  bbbbbbbb beatles1 beautiful beautiful1 bebebebe beckham23 beckham7 benjamin benjamin1 beograd1 berlin01 berlin1!
  berlin123 berlin123! berlin1234 berlin2023 berlin2024 berlin2025 berlin2026 besiktas besiktas1 bestfriend
  bestfriend1 bestfriends beyonce1 bicycle1 bigboobs bigboss1 bigboy12 bigdaddy bigdaddy1 bigdick1 bigtits1 bitch123
  bitches1 biteme12 biteme123 blablabla black123 blackberry blackblack blackcat blackcat1 blackjack blackjack1
  blah1234 blahblah blahblah1 bleach12 blessed1 blessed123 blessing blink182 blink182! blizzard blowjob1 blue1234
  blue12345 blueberry blueberry1 blueblue bmw12345 bmwm3bmw bobmarley bobmarley1 borussia bowling1 boxing12 brandon1
  brandon12 brandon123 brasil10 brasil123 britney1 brittany brittany1 broncos1 brooklyn brooklyn1 brother1 brother123
  buddy123 buddy123! buddy1234 buddy2023 buddy2024 buddy2025 buddy2026 budweiser bugsbunny bulldogs bulldogs1 bullet12
  bulls123 bullshit bullshit1 buster01 buster1! buster123 buster123! buster1234 buster2023 buster2024 buster2025
  buster2026 buttercup buttercup1 butterfly butterfly1 butterfly123 california california1 callofduty camaro69
  camping1 canada123 captain1 captainmorgan carebear carolina carolina1 caroline caroline1 cassandra cassandra1
  catcatcat catdog12 catherine catherine1 cats1234 catsanddogs celtic1888 change123 changeit1 changeme changeme!
  changeme1 changeme123 changeme2 changemenow changethis charlie1 charlie12 charlie123 charlotte charlotte1 chatgpt1
  chatgpt123 chatgpt4 cheer123 cheerleader cheese12 cheese123 cheesecake chelsea1 chelsea123 chemistry cherries
  chevrolet chevrolet1 chevy123 chewbacca chicago1 chicago123 chicagobulls chicken1 chicken123 chickens children
  chocolate chocolate1 chocolate123 christian christian1 christina christina1 christine christine1 christmas
  christmas1 christopher christopher1 cinderella cinderella1 cisco123 ciscocisco classof09 classof2010 classof2011
  claude123 cloud123 coca-cola cocacola cocacola1 coffee12 coffee123 college1 colombia colombia1 company01 company1!
  company123 company123! company1234 company2023 company2024 company2025 company2026 computer computer1 computer12
  computer123 contrasena contrasena1 contraseña cookie12 cookie123 cookies1 cooper01 cooper1! cooper123 cooper123!
  cooper1234 cooper2023 cooper2024 cooper2025 cooper2026 copilot1 copilot123 corona12 correcthorse
  correcthorsebatterystaple corvette corvette1 counterstrike cowboys1 cowboys123 cricket1 cricket123 cristiano
  cristiano7 crocodile crystal1 crystal123 cumshot1 cupcake1 cupcake123 dallas123 dallascowboys dancer12 dancer123
  dancing1 daniel12 daniel123 danielle danielle1 darthvader darthvader1 database database1 daughter daughter1 david123
  david123! david1234 david2023 david2024 david2025 david2026 deathnote december01 december1! december123 december123!
  december1234 december2023 december2024 december2025 december2026 deepseek default1 default123 demo1234 demodemo
  demon666 destroyer deutschland devil666 diamond1 diamond123 diamonds digimon1 dinamo12 dmitriy1 docker123
  dockerdocker doctor123 dodgers1 dogdogdog doggies1 doggy123 dogs1234 dolphins dolphins1 donaldduck doom1234 doomdoom
  dortmund dragon12 dragon123 dragon1234 dragonball dragonballz dragonfly dragonfly1 drpepper drpepper1 drummer1
  drummer123 drums123 ducati999 dumbledore eagles123 eatshit1 elastic1 elastic123 elephant elephant1 elizabeth
  elizabeth1 elvis123 elvispresley emerald1 eminem12 eminem123 emma123! emma1234 emma2023 emma2024 emma2025 emma2026
  england1 england123 enterprise espana123 evanescence everton1 evertonfc everything facebook facebook1 facebook123
  faith123 fallout3 fallout4 familia1 family123 father12 february01 february1! february123 february123! february1234
  february2023 february2024 february2025 february2026 fenerbahce fernanda fernanda1 fernando fernando1 ferrari1
  ferrari123 feyenoord feyenoord1 finalfantasy finalfantasy7 firefighter firefly1 fireman1 fishing1 fishing123
  florida1 flower12 flower123 flowers1 flowers123 foobar12 foobar123 foobarbaz football football01 football1
  football1! football12 football123 football123! football1234 football2023 football2024 football2025 football2026
  forever1 forever21 forgetme fortnite fortnite1 france123 francesco francisco francisco1 frederick freedom1 freedom12
  freedom123 friday01 friday1! friday123 friday123! friday1234 friday2023 friday2024 friday2025 friday2026 friends1
  friends4ever friendship frodo123 fuckface fuckfuck fuckme69 fuckoff1 fuckoff123 fuckthis fuckthisshit fuckyou!
  fuckyou. fuckyou1 fuckyou12 fuckyou123 fuckyou2 fuckyou69 gabriel1 gabriel123 gabriela gabriela1 gabriele gabrielle
  galatasaray gamecube gandalf1 garfield garfield1 gatorade gators12 gearsofwar gemini123 george01 george1! george123
  george123! george1234 george2023 george2024 george2025 george2026 geraldine germany1 germany123 ginger01 ginger1!
  ginger123 ginger123! ginger1234 ginger2023 ginger2024 ginger2025 ginger2026 giovanni giovanni1 godisgood godisgood1
  godislove godofwar godzilla godzilla1 gofishing goldberg golden12 goldfinger goldfish golf1234 golfer12 golfgolf
  gonzalez gonzalez1 goofy123 google12 google123 googlegoogle gorgeous gorgeous1 gpt4gpt4 grace123 graduate grafana1
  grafana123 grandma1 grandpa1 green123 greenday greenday1 greenman gryffindor guest123 guest1234 guestguest guillermo
  guinness guinness1 guitar12 guitar123 guitarhero gummybear gummybear1 gunit123 gunner12 gymnast1 gymnastics hahaha12
  hahaha123 hahahaha hajduk1950 halflife hallelujah halo1234 halo3halo hamburger hamster1 handsome hannahmontana
  hardcore hardcore1 harley01 harley1! harley12 harley123 harley123! harley1234 harley2023 harley2024 harley2025
  harley2026 harleydavidson harrypotter harrypotter1 haslo123 heaven12 heavenly hehehehe heineken hello123 hello123!
  hello1234 hello12345 hello2023 hello2024 hello2025 hello2026 hellohello hellokitty hellokitty1 hellothere helloworld
  helloworld1 helloyou hermione hermione1 hernandez hernandez1 highschool hockey12 hogwarts hogwarts1 hollywood
  hollywood1 homer123 homersimpson honda123 hondacivic horse123 horses12 hospital hunter01 hunter1! hunter12 hunter123
  hunter123! hunter1234 hunter2023 hunter2024 hunter2025 hunter2026 hunter22 hunting1 hurricane hurricane1 idontcare
  idontcare1 idontknow idontknow1 iforgot1 iforgotit ihateyou ihateyou1 ilovegod ilovegod1 iloveher iloveher1 ilovehim
  ilovehim1 ilovejesus iloveme1 iloveme2 ilovemom ilovemydog ilovemyfamily ilovemyself iloveu12 iloveu123 iloveyou
  iloveyou! iloveyou1 iloveyou11 iloveyou12 iloveyou123 iloveyou13 iloveyou2 iloveyou22 iloveyou3 iloveyou69 iloveyou7
  iloveyoubaby iloveyousomuch imissyou india123 india@123 indonesia indonesia1 instagram instagram1 internet internet1
  internet123 inuyasha inuyasha1 ironmaiden ironmaiden1 ironman1 ironman123 isabella isabella1 isabelle italia123
  jack123! jack1234 jack2023 jack2024 jack2025 jack2026 jackdaniels jacqueline jajajaja jake123! jake1234 jake2023
  jake2024 jake2025 jake2026 james123 james123! james1234 james2023 james2024 james2025 james2026 january01 january1!
  january123 january123! january1234 january2023 january2024 january2025 january2026 jeepjeep jeffrey1 jellybean
  jellybean1 jenkins1 jenkins123 jennifer jennifer1 jeremiah jeremiah1 jessica1 jessica12 jessica123 jesus123 jesus777
  jesuschrist jesusislord john123! john1234 john2023 john2024 john2025 john2026 johncena johncena1 jonasbrothers
  jonathan jonathan1 jordan01 jordan1! jordan12 jordan123 jordan123! jordan1234 jordan2023 jordan2024 jordan2025
  jordan2026 jordan23 joshua12 joshua123 julia123 julia123! julia1234 julia2023 julia2024 julia2025 julia2026 jurassic
  justin12 justin123 justinbieber justinbieber1 juventus juventus1 kakakaka kangaroo katherine katherine1 kathleen
  kawasaki kawasaki1 kenneth1 kennwort kennwort1 killer01 killer1! killer12 killer123 killer123! killer1234 killer2023
  killer2024 killer2025 killer2026 killer666 killerbee kimberly kimberly1 kingdom1 kingdomhearts kittens1 kitty123
  kittycat kittycat1 knight12 knights1 kobe2424 kobebryant kratos12 kristina kubernetes ladygaga lakers08 lakers123
  lakers24 lalala12 lalala123 lalalala lamborghini lamborghini1 laracroft laura123 laura123! laura1234 laura2023
  laura2024 laura2025 laura2026 lawrence lawyer12 leagueoflegends lebron23 lebronjames ledzeppelin leonardo leonardo1
  letmein! letmein01 letmein1 letmein1! letmein12 letmein123 letmein2 letmeinnow liberty1 liberty123 lightning
  lightning1 linkedin linkedin1 linkinpark linkinpark1 linux123 lions123 lisa123! lisa1234 lisa2023 lisa2024 lisa2025
  lisa2026 liverpool liverpool1 liverpool123 lkjhgfdsa login123 login1234 loginlogin logmein1 lollipop lollipop1
  lollol123 lollypop lolololol london01 london1! london12 london123 london123! london1234 london2023 london2024
  london2025 london2026 longhorns lordoftherings losangeles losenord love123! love1234 love12345 love2023 love2024
  love2025 love2026 loveislove lovelove lovely123 loveme12 loveme123 lover123 loverboy lovergirl loveyou1 loveyou2
  lozinka1 lubov123 lucifer1 lucifer666 lucky123 lucky123! lucky1234 lucky2023 lucky2024 lucky2025 lucky2026 madison1
  madison123 madonna1 maggie01 maggie1! maggie123 maggie123! maggie1234 maggie2023 maggie2024 maggie2025 maggie2026
  maksim123 malaysia malaysia1 mama1234 mamamama manager1 manager123 manchester manchester1 manchesterunited manutd123
  maradona maradona10 march123 march123! march1234 march2023 march2024 march2025 march2026 margaret margaret1 maria123
  maria123! maria1234 maria2023 maria2024 maria2025 maria2026 mariana1 marianne marie123 marijuana marina123 marine123
  marines1 mario123 mark123! mark1234 mark2023 mark2024 mark2025 mark2026 marshmallow martin01 martin1! martin123
  martin123! martin1234 martin2023 martin2024 martin2025 martin2026 martina1 martinez martinez1 master12 master123
  master1234 masterchief masterchief117 masterkey matrix123 matthew1 matthew12 matthew123 maverick maverick1
  maverick12 max12301 max1231! max123123 max123123! max1231234 max1232023 max1232024 max1232025 max1232026 mazda123
  medicine megadeth melissa1 melissa123 mercedes mercedes1 mercedesbenz merlin12 messi10! messi123 metallica
  metallica1 metallica123 mexico123 michael1 michael12 michael123 michaeljackson michaeljordan michaeljordan23
  michelle michelle1 mickey12 mickey123 mickeymouse microsoft microsoft1 midnight midnight1 midnight12 miguel123
  military minecraft minecraft1 minecraft123 minnie12 minniemouse mississippi mnbvcxz1 mnbvcxza molly123 molly123!
  molly1234 molly2023 molly2024 molly2025 molly2026 monday01 monday1! monday123 monday123! monday1234 monday2023
  monday2024 monday2025 monday2026 monika01 monika1! monika123 monika123! monika1234 monika2023 monika2024 monika2025
  monika2026 monkey12 monkey123 monkey1234 monkeyman monster1 monster12 monster123 montreal moonlight moonlight1
  moscow123 motdepasse mother12 mother123 motherfucker motorola motorola1 mountain mountain1 mountaindew music123
  musicislife musiclover musicman mustang1 mustang12 mustang123 mustang67 mustanggt my_password mylove123 mylovely
  mypass123 mypassword mypassword1 mysecret myspace1 myspace123 mysql123 nananana naruto12 naruto123 narutouzumaki
  nastya123 natalia1 natalie1 natasha1 nathalie nathan123 nathaniel navyseal ncc1701a ncc1701d ncc1701e netflix1
  netflix123 netgear1 network1 neverever nevermind nevermind1 newpass1 newpass123 newpassword newyork1 newyork123
  newyorkcity neymar11 nicholas nicholas1 nicolas1 nicole01 nicole1! nicole123 nicole123! nicole1234 nicole2023
  nicole2024 nicole2025 nicole2026 nikita123 ninja123 nintendo nintendo1 nintendo64 nirvana1 nirvana123 nissan123
  nissan350z noaccess nopass123 nopassword nothing1 november01 november1! november123 november123! november1234
  november2023 november2024 november2025 november2026 nurse123 obiwan12 ocean123 october01 october1! october123
  october123! october1234 october2023 october2024 october2025 october2026 office01 office1! office123 office123!
  office1234 office2023 office2024 office2025 office2026 oliver01 oliver1! oliver123 oliver123! oliver1234 oliver2023
  oliver2024 oliver2025 oliver2026 olivia123 onedirection onedirection1 onepiece onepiece1 openai123 openai2023
  opensesame opensesame1 operator operator1 oracle123 orange01 orange1! orange12 orange123 orange123! orange1234
  orange2023 orange2024 orange2025 orange2026 p4ssw0rd p4ssword p@55w0rd p@ssw0rd p@ssw0rd1 p@ssw0rd123 p@ssword
  p@ssword1 pa$$w0rd pa$$word pa$$word1 pa55w0rd pa55word packers1 pakistan pakistan1 pakistan123 pamela123 pancakes
  pantera1 panthers panthers1 papapapa paradise paradise1 paris123 parola123 partizan pass1234 pass12345 pass123456
  pass@123 pass@1234 pass@word1 passcode passkey1 passpass passphrase passport passw0rd passw0rd! passw0rd1
  passw0rd123 password password! password#1 password$1 password0 password00 password01 password02 password1 password1!
  password10 password11 password12 password123 password123! password1234 password12345 password13 password2 password21
  password22 password3 password4 password5 password6 password69 password7 password77 password8 password88 password9
  password99 password@1 password@123 passwords passwort passwort1 passwort123 patricia patricia1 patrick1 patrick123
  patrick2 patriots patriots1 paul123! paul1234 paul2023 paul2024 paul2025 paul2026 peanut01 peanut1! peanut123
  peanut123! peanut1234 peanut2023 peanut2024 peanut2025 peanut2026 peanutbutter pegasus1 penelope penguin1 penguin123
  penguins penthouse pepper01 pepper1! pepper123 pepper123! pepper1234 pepper2023 pepper2024 pepper2025 pepper2026
  pepperoni pepsi123 pepsicola peter123 peter123! peter1234 peter2023 peter2024 peter2025 peter2026 petra123 petra123!
  petra1234 petra2023 petra2024 petra2025 petra2026 philadelphia philippines phoenix1 phoenix123 piano123 pikachu1
  pineapple pineapple1 pink1234 pinkfloyd pinkfloyd1 pinkpanther pinkpink pinterest pizza123 pizzahut platinum
  platypus playboy1 playboy123 playboy69 playstation playstation1 playstation2 plugh123 pocahontas poiuytrewq pokemon1
  pokemon123 police123 police911 pornporn pornstar porsche1 porsche911 portugal postgres postgres1 predator predator1
  prettygirl prettywoman princesa princesa1 princess princess1 princess12 princess123 princessa privet123 prometheus
  promptdeck promptdeck1 promptdeck123 promptops promptops123 puertorico puertorico1 pumpkin01 pumpkin1! pumpkin123
  pumpkin123! pumpkin1234 pumpkin2023 pumpkin2024 pumpkin2025 pumpkin2026 puppies1 puppydog puppylove purple01
  purple1! purple12 purple123 purple123! purple1234 purple2023 purple2024 purple2025 purple2026 pussy123 pussy4me
  pussycat pussycat1 pytorch1 q1w2e3r4 q1w2e3r4t5 q1w2e3r4t5y6 qaz123wsx qazwsx123 qazwsxedc qazwsxedcrfv qazxswedc
  qqqqqqqq quake123 quake3arena quantum1 qwaszx12 qwaszxqwaszx qwe123456 qwe123qwe qweasd123 qweasdzx qweasdzxc
  qweqweqwe qwer1234 qwerasdf qwert123 qwert1234 qwert12345 qwerty00 qwerty01 qwerty1! qwerty11 qwerty12 qwerty123
  qwerty123! qwerty1234 qwerty12345 qwerty123456 qwerty2023 qwerty2024 qwerty2025 qwerty2026 qwerty21 qwerty77
  qwerty99 qwertyqwerty qwertyui qwertyuio qwertyuiop qwertyuiop123 qwertz123 qwertzui qwertzuiop rabbit12 raiders1
  raiders123 rainbow1 rainbow12 rainbow123 rainbows rammstein rammstein1 ranger01 ranger1! ranger123 ranger123!
  ranger1234 ranger2023 ranger2024 ranger2025 ranger2026 rangers1 rangers123 raspberry raspberry1 raspberrypi
  realmadrid realmadrid1 rebecca1 rebecca123 red12345 redbull1 redbull123 redskins redskins1 redsox04 redsox12
  redwings remember remember1 residentevil reymysterio1 richard1 richard123 rihanna1 robert12 robert123 roberto1
  roblox123 rockandroll rockstar rockstar1 rocky123 rocky123! rocky1234 rocky2023 rocky2024 rocky2025 rocky2026
  rodriguez rodriguez1 rollingstones ronaldo123 ronaldo7 ronaldo9 root1234 root12345 rootpass rootpassword rootroot
  rosebud1 rosebud12 rosemary runescape runescape1 rusty123 rusty123! rusty1234 rusty2023 rusty2024 rusty2025
  rusty2026 sabine01 sabine1! sabine123 sabine123! sabine1234 sabine2023 sabine2024 sabine2025 sabine2026 sadie123
  sadie123! sadie1234 sadie2023 sadie2024 sadie2025 sadie2026 sailormoon salasana salasana1 salvador samantha
  samantha1 samantha12 samson01 samson1! samson123 samson123! samson1234 samson2023 samson2024 samson2025 samson2026
  samsung1 samsung123 samurai1 sandra01 sandra1! sandra123 sandra123! sandra1234 sandra2023 sandra2024 sandra2025
  sandra2026 santiago santiago1 sapphire sarah123 sarah123! sarah1234 sarah2023 sarah2024 sarah2025 sarah2026 sarajevo
  sasuke12 sasuke123 satan666 scarface scarface1 schalke04 school12 school123 schools1 science1 scooby12 scoobydoo
  scoobydoo1 scotland scotland1 sebastian sebastian1 secret01 secret12 secret123 secret1234 secretsecret security
  security1 security123 senha123 senha1234 sephiroth sephiroth1 september01 september1! september123 september123!
  september1234 september2023 september2024 september2025 september2026 sergey123 server123 serveradmin service1
  service123 sex12345 sexsexsex sexy1234 sexybitch sexyboy1 sexygirl sexylady sexymama sexything shadow12 shadow123
  shakira1 silver12 silver123 simon123 simon123! simon1234 simon2023 simon2024 simon2025 simon2026 simpsons simpsons1
  singapore singapore1 sister12 skateboard skateboarding skater12 skittles skittles1 skyline1 skyrim12 skywalker
  skywalker1 slipknot slipknot1 slipknot666 smirnoff smokeweed snapchat snickerdoodle snickers snickers1 sniper12
  sniper123 snoopdog snoopdogg snoopy12 snoopy123 snowball snowball1 snowboard snowboard1 snowboarder snowflake
  snowman1 snowwhite soccer12 soccer123 softball softball1 soldier1 something something1 sonic123 sonicthehedgehog
  sophie01 sophie1! sophie123 sophie123! sophie1234 sophie2023 sophie2024 sophie2025 sophie2026 southpark southpark1
  spaghetti sparky01 sparky1! sparky123 sparky123! sparky1234 sparky2023 sparky2024 sparky2025 sparky2026 spartak1
  spencer1 spiderman spiderman1 spiderman3 spongebob spongebob1 spongebob123 spring01 spring1! spring123 spring123!
  spring1234 spring2023 spring2024 spring2025 spring2026 squall12 starbucks starbucks1 starcraft starlight starlight1
  startrek startrek1 starwars starwars1 starwars123 steelers steelers1 steelers123 stefan01 stefan1! stefan123
  stefan123! stefan1234 stefan2023 stefan2024 stefan2025 stefan2026 stephanie stephanie1 stephen1 steve123 steve123!
  steve1234 steve2023 steve2024 steve2025 steve2026 stonecold stoner420 strawberry strawberry1 student1 student123
  students subaru12 suckit12 suckmydick summer01 summer1! summer123 summer123! summer1234 summer2023 summer2024
  summer2025 summer2026 sunday01 sunday1! sunday123 sunday123! sunday1234 sunday2023 sunday2024 sunday2025 sunday2026
  sunflower sunflower1 sunlight sunset12 sunshine sunshine1 sunshine12 sunshine123 superadmin superadmin1 superman
  superman1 superman123 supermario supermario1 superstar superstar1 superuser supervisor supervisor1 surfer12 surfing1
  suzuki123 svetlana sweetheart sweetheart1 sweetie1 sweetpea sweetpea1 swimming switzerland swordfish swordfish1
  sysadmin sysadmin1 tatiana1 taylorswift teacher1 teacher123 teamo123 teamomucho teddybear teddybear1 temp1234
  temp12345 temporary temporary1 tennessee tennis12 tennis123 tensorflow tequiero terminator terminator1 test1234
  test12345 test123456 test@123 test@1234 tester123 testing1 testing123 testpass testtest testuser thailand thailand1
  thebeatles theodore thomas12 thomas123 thunder1 thunder123 thunderbird thx1138! tiffany1 tiffany123 tiger123
  tigers123 tigertiger tigerwoods tigger01 tigger1! tigger12 tigger123 tigger123! tigger1234 tigger2023 tigger2024
  tigger2025 tigger2026 timothy1 tinkerbell tinkerbell1 titanic1 toby123! toby1234 toby2023 toby2024 toby2025 toby2026
  together together1 tombraider toor1234 tornado1 tottenham tottenham1 toyota12 toyota123 trabzonspor triplehh
  truelove trumpet1 trustno1 trustno1! trustnoone tupac123 twitter1 ubuntu123 undertaker unicorn1 unicorn123 unicorns
  university user1234 user12345 user@123 username username1 useruser valentin valentina valentina1 valentine valeria1
  vampire1 vampires vanessa1 vanessa123 venezuela verizon1 veronica veronica1 victoria victoria1 victoria123 vietnam1
  vincent1 vincent123 virginia virginia1 vladimir vladimir1 vodafone vodafone1 voldemort volkswagen volkswagen1
  volleyball volvo123 wachtwoord wachtwoord1 warcraft warcraft1 warrior1 warrior123 warriors wasdwasd watermelon
  watermelon1 webadmin weed1234 weed4200 welcome! welcome1 welcome1! welcome12 welcome123 welcome1234 welcome2020
  welcome2021 welcome2022 welcome2023 welcome2024 welcome2025 welcome2026 welcome@1 welcome@123 whatever whatever1
  whatever12 whatever123 whatsapp whatsup1 whatthefuck white123 whoami12 whocares whoknows wildcats wildcats1 william1
  william12 william123 windows1 windows10 windows7 windows98 windowsxp winnie123 winniethepooh winston01 winston1!
  winston123 winston123! winston1234 winston2023 winston2024 winston2025 winston2026 winter01 winter1! winter123
  winter123! winter1234 winter2023 winter2024 winter2025 winter2026 wireless wireless1 wizard123 wolverine wolverine1
  worldofwarcraft wrangler wrestling wrestling1 wtfwtfwtf xbox3600 xbox360live xxxxxxxx xxxxxxxxx xyzzy123 yamaha123
  yankees1 yankees123 yankees2 yellow12 yellow123 yoda1234 youtube1 youtube123 yugioh12 yyyyyyyy zachary1 zaq12wsx
  zaq1xsw2 zaq1zaq1 zaqwsxcde zaqzaqzaq zelda123 zeppelin zeppelin1 zombie12 zombie123 zvezda12 zxcvasdf zxcvbnm1
  zxcvbnm123 zxcvzxcv zxczxczxc zzzzzzzz
`
    .trim()
    .split(/\s+/),
)
